#include <fmt/format.h>

#include "ptx/token_stream.h"

/// Constant expressions by precedence climbing. The operators and the rules for signed and unsigned
/// operands are those of PTX ISA 4.5.4 and 4.5.6 (table 5): like C with 64-bit integers only.
namespace warplock::ptx {
namespace {

constexpr int kMaxDepth = 64;

class ExpressionReader {
 public:
  explicit ExpressionReader(TokenStream& tokens) : tokens_(tokens) {}

  Constant conditional() {
    Descent descent(*this);
    Constant condition = binary(0);
    if (!tokens_.peek().is('?')) return condition;
    require_integer(condition);
    tokens_.take();
    Constant yes = conditional();
    tokens_.expect(':', "the second part of '?'");
    Constant no = conditional();
    require_integer(yes);
    require_integer(no);
    Constant chosen = condition.bits != 0 ? yes : no;
    if (yes.kind != no.kind) chosen.kind = Constant::Kind::kUnsigned;
    return chosen;
  }

 private:
  /// Counts the nesting, so that no input can exhaust the stack.
  struct Descent {
    explicit Descent(ExpressionReader& owner) : reader(owner) {
      if (++reader.depth_ > kMaxDepth) {
        reader.tokens_.fail(reader.tokens_.peek().position, "resource limit",
                            fmt::format("an expression is nested at most {} deep", kMaxDepth));
      }
    }
    ~Descent() { --reader.depth_; }
    Descent(const Descent&) = delete;
    Descent& operator=(const Descent&) = delete;
    ExpressionReader& reader;
  };

  static int precedence(const Token& token) {
    if (token.kind != Token::Kind::kPunct) return -1;
    std::string_view op = token.text;
    if (op == "||") return 0;
    if (op == "&&") return 1;
    if (op == "|") return 2;
    if (op == "^") return 3;
    if (op == "&") return 4;
    if (op == "==" || op == "!=") return 5;
    if (op == "<" || op == "<=" || op == ">" || op == ">=") return 6;
    if (op == "<<" || op == ">>") return 7;
    if (op == "+" || op == "-") return 8;
    if (op == "*" || op == "/" || op == "%") return 9;
    return -1;
  }

  Constant binary(int lowest) {
    Constant left = unary();
    while (precedence(tokens_.peek()) >= lowest) {
      Token op = tokens_.take();
      Constant right = binary(precedence(op) + 1);
      require_integer(left);
      require_integer(right);
      left = apply(op, left, right);
    }
    return left;
  }

  Constant unary() {
    Descent descent(*this);
    Token token = tokens_.peek();
    if (token.is('-') || token.is('+') || token.is('~') || token.is('!')) {
      tokens_.take();
      Token operand = tokens_.peek();
      Constant value = unary();
      if (!value.is_integer()) {
        // Decimal literals only; 0f and 0d have their sign in the pattern.
        bool in_hex = operand.text.substr(0, 2) == "0d" || operand.text.substr(0, 2) == "0D";
        if (value.kind != Constant::Kind::kFloat64 || in_hex || !token.is('-')) {
          tokens_.fail(token.position, "syntax",
                       fmt::format("'{}' at a float literal", token.text));
        }
        value.bits ^= uint64_t{1} << 63;
        return value;
      }
      if (token.is('-')) return {value.kind, uint64_t{0} - value.bits};
      if (token.is('~')) return {value.kind, ~value.bits};
      if (token.is('!')) return {Constant::Kind::kSigned, value.bits == 0 ? uint64_t{1} : 0};
      return value;
    }
    return primary();
  }

  Constant primary() {
    if (tokens_.accept('(')) {
      Token word = tokens_.peek();
      if (word.kind == Token::Kind::kDotWord && (word.text == "s64" || word.text == "u64")) {
        tokens_.take();
        tokens_.expect(')', "a cast");
        Constant value = unary();
        require_integer(value);
        value.kind = word.text == "s64" ? Constant::Kind::kSigned : Constant::Kind::kUnsigned;
        return value;
      }
      Constant value = conditional();
      tokens_.expect(')', "an expression");
      return value;
    }
    Token token = tokens_.peek();
    switch (token.kind) {
      case Token::Kind::kInteger:
        tokens_.take();
        return {token.is_unsigned ? Constant::Kind::kUnsigned : Constant::Kind::kSigned,
                token.value};
      case Token::Kind::kFloat32:
        tokens_.take();
        return {Constant::Kind::kFloat32, token.value};
      case Token::Kind::kFloat64:
        tokens_.take();
        return {Constant::Kind::kFloat64, token.value};
      case Token::Kind::kName:
        if (token.text == "WARP_SZ") {
          tokens_.fail(token.position, "unsupported", "WARP_SZ in a constant expression");
        }
        break;
      default:
        break;
    }
    tokens_.fail_here("a constant");
  }

  void require_integer(const Constant& value) const {
    if (!value.is_integer()) {
      tokens_.fail(tokens_.end_of_previous(), "unsupported",
                   "arithmetic on floating-point constants");
    }
  }

  Constant apply(const Token& op, const Constant& a, const Constant& b) const {
    using Kind = Constant::Kind;
    bool is_signed = a.kind == Kind::kSigned && b.kind == Kind::kSigned;
    Kind kind = is_signed ? Kind::kSigned : Kind::kUnsigned;
    int64_t sa = static_cast<int64_t>(a.bits), sb = static_cast<int64_t>(b.bits);
    auto truth = [](bool value) { return Constant{Kind::kSigned, value ? uint64_t{1} : 0}; };
    if (op.is("||")) return truth(a.bits != 0 || b.bits != 0);
    if (op.is("&&")) return truth(a.bits != 0 && b.bits != 0);
    if (op.is("==")) return truth(a.bits == b.bits);
    if (op.is("!=")) return truth(a.bits != b.bits);
    if (op.is('<')) return truth(is_signed ? sa < sb : a.bits < b.bits);
    if (op.is("<=")) return truth(is_signed ? sa <= sb : a.bits <= b.bits);
    if (op.is('>')) return truth(is_signed ? sa > sb : a.bits > b.bits);
    if (op.is(">=")) return truth(is_signed ? sa >= sb : a.bits >= b.bits);
    if (op.is('|')) return {kind, a.bits | b.bits};
    if (op.is('^')) return {kind, a.bits ^ b.bits};
    if (op.is('&')) return {kind, a.bits & b.bits};
    if (op.is('+')) return {kind, a.bits + b.bits};
    if (op.is('-')) return {kind, a.bits - b.bits};
    if (op.is('*')) return {kind, a.bits * b.bits};
    if (op.is("<<") || op.is(">>")) return shifted(op, a, b);
    if (b.bits == 0) tokens_.fail(op.position, "out of range", "division by zero");
    if (!is_signed) return {kind, op.is('/') ? a.bits / b.bits : a.bits % b.bits};
    if (sb == -1) return {kind, op.is('/') ? uint64_t{0} - a.bits : 0};
    return {kind, static_cast<uint64_t>(op.is('/') ? sa / sb : sa % sb)};
  }

  /// The result of a shift has the kind of its left side.
  Constant shifted(const Token& op, const Constant& a, const Constant& b) const {
    if (b.bits > 63) tokens_.fail(op.position, "out of range", "a shift is by 0 to 63");
    if (op.is("<<")) return {a.kind, a.bits << b.bits};
    if (a.kind == Constant::Kind::kUnsigned) return {a.kind, a.bits >> b.bits};
    return {a.kind, static_cast<uint64_t>(static_cast<int64_t>(a.bits) >> b.bits)};
  }

  TokenStream& tokens_;
  int depth_ = 0;
};

}  // namespace

Constant parse_constant(TokenStream& tokens) {
  return ExpressionReader(tokens).conditional();
}

uint64_t parse_count(TokenStream& tokens, uint64_t limit, std::string_view what) {
  if (tokens.peek().kind != Token::Kind::kInteger) tokens.fail_here(what);
  Token token = tokens.take();
  if (token.value > limit) {
    tokens.fail(token.position, "out of range", fmt::format("{} is at most {}", what, limit));
  }
  return token.value;
}

}  // namespace warplock::ptx
