# SPDX-License-Identifier: MIT
# The fake KFD, with the interpreter in it: a library that tests/kfd/run loads before all others.

file(GLOB kfd_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/kfd/*.c)
add_library(fake_kfd SHARED ${kfd_sources})
target_include_directories(fake_kfd PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/kfd ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(fake_kfd PRIVATE mori_shmem_static Threads::Threads ${CMAKE_DL_LIBS} m)
set_target_properties(fake_kfd PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
