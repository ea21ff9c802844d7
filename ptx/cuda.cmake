# CUDA C to PTX: a library of its own, which knows nothing of the parser.
file(READ ${CMAKE_CURRENT_LIST_DIR}/cuda_builtins.h WARPLOCK_CUDA_BUILTINS)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS cuda_builtins.h)
configure_file(cuda_builtins_text.cpp.in cuda_builtins_text.cpp @ONLY)
warplock_library(warplock_cuda
  SOURCES from_cuda.cpp cuda_clang.cpp cuda_messages.cpp cuda_nvrtc.cpp subprocess.cpp
          ${CMAKE_CURRENT_BINARY_DIR}/cuda_builtins_text.cpp
  DEPENDS warplock_diagnostics fmt::fmt ${CMAKE_DL_LIBS})
warplock_test(cuda_tests SOURCES from_cuda_test.cpp DEPENDS warplock_cuda)
