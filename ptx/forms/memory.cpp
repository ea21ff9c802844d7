#include "ptx/check_context.h"
#include "ptx/forms.h"
/// Loads, stores and prefetches (PTX ISA 9.7.9.8 to 9.7.9.15).
namespace warplock::ptx {
namespace {

constexpr Form kForms[] = {
    {Opcode::kLd, "ld ?keep:weak ?space:@load_space ?keep:@load_cache ?vec:v2|v4 type:@memory",
     "=t:wv mem", check_access},
    {Opcode::kLd,
     "ld ?keep:weak ?space:global ?keep:@load_cache keep:@l2_prefetch ?vec:v2|v4 type:@memory",
     "=t:wv mem", check_access},
    {Opcode::kLd,
     "ld ?keep:weak ?space:global keep:@l1_eviction ?keep:@l2_prefetch ?vec:v2|v4 type:@memory",
     "=t:wv mem", check_access},
    {Opcode::kLd, "ld flag:volatile ?space:@strong_space ?vec:v2|v4 type:@memory", "=t:wv mem",
     check_access},
    {Opcode::kLd, "ld flag:volatile ?space:global keep:@l2_prefetch ?vec:v2|v4 type:@memory",
     "=t:wv mem", check_access},
    {Opcode::kLd,
     "ld keep:relaxed|acquire keep:@scope ?space:@strong_space ?vec:v2|v4 type:@memory",
     "=t:wv mem", check_access},
    {Opcode::kLd,
     "ld keep:relaxed|acquire keep:@scope ?space:global ?keep:@l1_eviction ?keep:@l2_prefetch "
     "?vec:v2|v4 type:@memory",
     "=t:wv mem", check_access},
    {Opcode::kLd,
     "ld space:global ?keep:ca|cg|cs keep:nc ?keep:@l2_prefetch ?vec:v2|v4 type:@memory",
     "=t:wv mem", check_access},
    {Opcode::kLd,
     "ld space:global keep:nc ?keep:@l1_eviction ?keep:@l2_prefetch ?vec:v2|v4 type:@memory",
     "=t:wv mem", check_access},
    {Opcode::kLdu, "ldu ?space:global ?vec:v2|v4 type:@memory", "=t:wv mem", check_access},
    {Opcode::kSt, "st ?keep:weak ?space:@store_space ?keep:@store_cache ?vec:v2|v4 type:@memory",
     "mem t:wv", check_access},
    {Opcode::kSt, "st ?keep:weak ?space:global keep:@l1_eviction ?vec:v2|v4 type:@memory",
     "mem t:wv", check_access},
    {Opcode::kSt, "st flag:volatile ?space:@strong_space ?vec:v2|v4 type:@memory", "mem t:wv",
     check_access},
    {Opcode::kSt,
     "st keep:relaxed|release keep:@scope ?space:@strong_space ?vec:v2|v4 type:@memory", "mem t:wv",
     check_access},
    {Opcode::kSt,
     "st keep:relaxed|release keep:@scope ?space:global keep:@l1_eviction ?vec:v2|v4 type:@memory",
     "mem t:wv", check_access},
    {Opcode::kPrefetch, "prefetch ?space:global|local keep:L1|L2", "mem", check_access},
    {Opcode::kPrefetch, "prefetch space:global keep:L2::evict_last|L2::evict_normal", "mem",
     check_access},
    {Opcode::kPrefetchu, "prefetchu keep:L1", "mem", check_access},
};

}  // namespace

std::span<const Form> memory_forms() {
  return kForms;
}

}  // namespace warplock::ptx
