# The three kinds of target that this project has. Include paths start at the repository's root.

add_library(warplock_flags INTERFACE)
target_include_directories(warplock_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(warplock_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror)
if(WARPLOCK_SANITIZE OR WARPLOCK_FUZZ)
  target_compile_options(warplock_flags INTERFACE -fsanitize=address,undefined
                                                  -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  target_link_options(warplock_flags INTERFACE -fsanitize=address,undefined)
endif()
if(WARPLOCK_FUZZ)
  target_compile_options(warplock_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# warplock_library(NAME SOURCES a.cpp ... DEPENDS other ...): a static library of one folder.
function(warplock_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC warplock_flags ${ARG_DEPENDS})
endfunction()

# warplock_test(NAME SOURCES a_test.cpp ... DEPENDS lib ...): one GoogleTest program for a folder.
# Tests find handed files through WARPLOCK_SOURCE_DIR.
include(GoogleTest)
function(warplock_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE WARPLOCK_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             WARPLOCK_BINARY_DIR="${PROJECT_BINARY_DIR}")
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300)
endfunction()

# warplock_fuzzer(NAME SOURCES fuzz.cpp DEPENDS lib ...): a libFuzzer target, with WARPLOCK_FUZZ only.
function(warplock_fuzzer name)
  if(WARPLOCK_FUZZ)
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE ${ARG_DEPENDS})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  endif()
endfunction()
