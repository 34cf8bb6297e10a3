# SPDX-License-Identifier: MIT
# The GPU's programs (tests/gpu) on AMD's own HIP over the fake KFD. Reads amd_targets.

if(NOT "gfx942" IN_LIST amd_targets)
	return()
endif()
set(hip_images ${PROJECT_BINARY_DIR}/tests/amd/gfx942/more/misc.hsaco)
foreach(name allreduce_put allreduce_read allreduce_two_shot atomics get hello put_ring put_signal value)
	list(APPEND hip_images ${PROJECT_BINARY_DIR}/tests/amd/gfx942/examples/${name}.hsaco)
endforeach()
set(all ALL)
if(MORI_BITCODE_FROM) # the build that it names runs them
	set(all)
endif()
add_custom_target(hip_images ${all} DEPENDS ${hip_images})

set(TEST_TIMEOUT 600)
set(TEST_ENV)
set(TEST_LABELS amd)
mori_add(amd_hip bash ${CMAKE_CURRENT_SOURCE_DIR}/hip/run --sample ${PROJECT_BINARY_DIR})
unset(TEST_LABELS)
