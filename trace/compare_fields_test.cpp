// Where the order is fixed, every change of every field that counts must be found, in place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/compare.h"
#include "trace/explain.h"
#include "trace/spelling.h"
#include "trace/tiny_gpu.h"
#include "trace/tiny_kernels.h"

namespace warplock::trace {
namespace {

using tiny_kernels::kPlain;

TinyLaunch plain_launch() {
  TinyLaunch launch;
  launch.ctas = 2;
  launch.seed = 3;
  return launch;
}

struct Change {
  const char* name;
  /// Changes the event; false where it does not apply.
  bool (*apply)(const Trace&, Event&);
};

bool has_value(const Event& e) {
  return e.kind != EventKind::kExit;
}

const Change kChanges[] = {
    {"lowest bit of the value",
     [](const Trace&, Event& e) {
       if (!has_value(e)) return false;
       e.value ^= 1;
       return true;
     }},
    {"highest bit of the value",
     [](const Trace&, Event& e) {
       if (!has_value(e) || e.width == 0) return false;
       e.value ^= uint64_t{1} << (8 * e.width - 1);
       return true;
     }},
    {"width",
     [](const Trace&, Event& e) {
       if (e.width == 0) return false;
       e.width = e.width == 4 ? 2 : 4;
       return true;
     }},
    {"element",
     [](const Trace&, Event& e) {
       if (!is_memory(e.kind) && e.kind != EventKind::kRegister) return false;
       e.element ^= 1;
       return true;
     }},
    {"occurrence",
     [](const Trace&, Event& e) {
       ++e.occurrence;
       return true;
     }},
    {"instruction",
     [](const Trace& trace, Event& e) {
       e.instruction = (e.instruction + 1) % static_cast<uint32_t>(trace.instructions.size());
       return true;
     }},
    {"register",
     [](const Trace& trace, Event& e) {
       if (e.kind != EventKind::kRegister) return false;
       e.object = (e.object + 1) % static_cast<uint32_t>(trace.register_names.size());
       return true;
     }},
    {"object",
     [](const Trace& trace, Event& e) {
       if (!is_memory(e.kind)) return false;
       e.object = (e.object + 1) % static_cast<uint32_t>(trace.objects.size());
       return e.offset + e.width <= trace.objects[e.object].size;
     }},
    {"offset",
     [](const Trace&, Event& e) {
       if (!is_memory(e.kind) || e.offset == 0) return false;
       e.offset -= 1;
       return true;
     }},
    {"space",
     [](const Trace&, Event& e) {
       if (!is_memory(e.kind)) return false;
       e.space = e.space == Space::kGlobal ? Space::kShared : Space::kGlobal;
       return true;
     }},
    {"kind", [](const Trace&, Event& e) {
       if (e.kind == EventKind::kLoad) {
         e.kind = EventKind::kStore;
       } else if (e.kind == EventKind::kStore) {
         e.kind = EventKind::kLoad;
       } else if (e.kind == EventKind::kBarrierArrive) {
         e.kind = EventKind::kBarrierRelease;
       } else {
         e.kind = EventKind::kBarrierArrive;
       }
       return true;
     }}};

TEST(Fields, EveryChangeOfEveryEventIsFoundInItsPlace) {
  const Trace left = run_tiny(kPlain, plain_launch());
  TinyLaunch moved = plain_launch();
  moved.base = 0x500000000;
  moved.seed = 9;
  const Trace right = run_tiny(kPlain, moved);
  ASSERT_FALSE(compare(left, right).divergence);
  size_t tried = 0;
  for (const Change& change : kChanges) {
    for (size_t i = 0; i < right.events.size(); ++i) {
      Trace changed = right;
      if (!change.apply(changed, changed.events[i])) continue;
      ++tried;
      const Event& original = right.events[i];
      for (bool swap : {false, true}) {
        Comparison comparison = swap ? compare(changed, left) : compare(left, changed);
        ASSERT_TRUE(comparison.divergence) << change.name << ": " << describe(right, original);
        const Divergence& found = *comparison.divergence;
        EXPECT_EQ(found.cta, original.cta) << change.name << ": " << describe(right, original);
        EXPECT_EQ(found.thread, original.thread)
            << change.name << ": " << describe(right, original);
        const std::optional<Event>& unchanged = swap ? found.right : found.left;
        ASSERT_TRUE(unchanged) << change.name << ": " << describe(right, original);
        EXPECT_EQ(unchanged->instruction, original.instruction)
            << change.name << ": " << describe(right, original) << '\n'
            << found.what;
        EXPECT_THAT(found.what, testing::HasSubstr("(left)"));
        if (original.kind == EventKind::kLoad && found.what.substr(0, 5) == "value") {
          EXPECT_THAT(found.what, testing::HasSubstr("value loaded from"));
          EXPECT_THAT(found.what, testing::HasSubstr("(left) but"));
        }
        EXPECT_LE(found.left_before.size(), 10u);
      }
    }
  }
  EXPECT_GT(tried, 1000u);
}

/// A machine whose registers have 32 bits has only the low words of addresses.
TEST(Fields, NarrowRegistersAreComparedByTheirLowWord) {
  const Trace left = run_tiny(kPlain, plain_launch());
  TinyLaunch low = plain_launch();
  low.base = 0x20000000;
  Trace right = run_tiny(kPlain, low);
  for (Event& event : right.events) {
    if (event.kind == EventKind::kRegister && event.width == 8) event.width = 4;
  }
  EXPECT_EQ(compare(left, right).compared_events, left.events.size());
  EXPECT_EQ(compare(right, left).compared_events, left.events.size());
  for (size_t i = 0; i < right.events.size(); ++i) {
    if (right.events[i].kind != EventKind::kRegister) continue;
    Trace changed = right;
    changed.events[i].value ^= uint64_t{1} << 31 % (right.events[i].width * 8);
    EXPECT_TRUE(compare(left, changed).divergence) << describe(right, right.events[i]);
    EXPECT_TRUE(compare(changed, left).divergence) << describe(right, right.events[i]);
  }
}

TEST(Fields, EveryMissingOrRepeatedEventIsFound) {
  const Trace left = run_tiny(kPlain, plain_launch());
  for (size_t i = 0; i < left.events.size(); ++i) {
    Trace fewer = left, more = left;
    fewer.events.erase(fewer.events.begin() + static_cast<std::ptrdiff_t>(i));
    more.events.insert(more.events.begin() + static_cast<std::ptrdiff_t>(i), left.events[i]);
    for (const Trace* other : {&fewer, &more}) {
      for (bool swap : {false, true}) {
        Comparison comparison = swap ? compare(*other, left) : compare(left, *other);
        ASSERT_TRUE(comparison.divergence) << describe(left, left.events[i]);
        EXPECT_EQ(comparison.divergence->cta, left.events[i].cta);
        EXPECT_EQ(comparison.divergence->thread, left.events[i].thread);
      }
    }
  }
}

TEST(Fields, EveryChangeOfAStoreIsFoundWithoutPtx) {
  const Trace left = run_tiny(kPlain, plain_launch());
  const Trace right = without_ptx(left);
  for (size_t i = 0; i < right.events.size(); ++i) {
    const Event& original = right.events[i];
    if (original.kind != EventKind::kStore) continue;
    for (int change = 0; change < 4; ++change) {
      Trace changed = right;
      Event& event = changed.events[i];
      // A store that the same thread overwrites unseen is one that a compiler may leave out.
      if (change == 3 && event.instruction == 10 && event.occurrence < 2) continue;
      if (change == 0) event.value ^= 1;
      if (change == 1) event.value ^= uint64_t{1} << (8 * event.width - 1);
      if (change == 2) event.offset += event.offset + 2 * event.width > 128 ? -4 : 4;
      if (change == 3)
        changed.events.erase(changed.events.begin() + static_cast<std::ptrdiff_t>(i));
      for (bool swap : {false, true}) {
        Comparison comparison = swap ? compare(changed, left) : compare(left, changed);
        ASSERT_TRUE(comparison.divergence) << change << ": " << describe(left, original);
        EXPECT_EQ(comparison.divergence->cta, original.cta);
        EXPECT_EQ(comparison.divergence->thread, original.thread)
            << change << ' ' << swap << ": " << describe(right, original) << '\n'
            << comparison.divergence->what;
        EXPECT_EQ(comparison.divergence->kind, Divergence::Kind::kLocation);
      }
    }
  }
}

TEST(Fields, TheFirstOfTwoDivergencesIsTheEarlierInTheLeftTrace) {
  const Trace left = run_tiny(kPlain, plain_launch());
  Trace right = left;
  const size_t early = 60, late = 90;
  ASSERT_NE(left.events[early].thread, left.events[late].thread);
  right.events[early].value ^= 1;
  right.events[late].value ^= 1;
  // Put the later one's thread first in the right trace's order.
  const Event moved = right.events[late];
  std::vector<Event> reordered;
  for (bool first : {true, false}) {
    for (const Event& event : right.events) {
      bool of_thread = event.thread == moved.thread && event.cta == moved.cta;
      if (of_thread == first) reordered.push_back(event);
    }
  }
  right.events = reordered;
  Comparison comparison = compare(left, right);
  ASSERT_TRUE(comparison.divergence);
  EXPECT_EQ(*comparison.divergence->left, left.events[early]);
}

TEST(Fields, AMissingThreadIsFound) {
  const Trace left = run_tiny(kPlain, plain_launch());
  Trace right = left;
  std::erase_if(right.events, [](const Event& e) { return e.cta == 1 && e.thread == 2; });
  for (bool swap : {false, true}) {
    Comparison comparison = swap ? compare(right, left) : compare(left, right);
    ASSERT_TRUE(comparison.divergence);
    EXPECT_EQ(comparison.divergence->kind, Divergence::Kind::kMissing);
    EXPECT_EQ(comparison.divergence->cta, 1u);
    EXPECT_EQ(comparison.divergence->thread, 2u);
    EXPECT_EQ(comparison.divergence->left.has_value(), !swap);
  }
}

}  // namespace
}  // namespace warplock::trace
