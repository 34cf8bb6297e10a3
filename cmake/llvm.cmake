# SPDX-License-Identifier: MIT
# clang and the LLVM tools, for the device library and the library's own kernels for NVIDIA GPUs.
# MORI_CLANG_USABLE is a clang that is new enough, or empty; MORI_LLVM_USABLE says whether all
# tools are there, and with clang LLVM's library.

find_program(MORI_CLANG NAMES clang-19 clang-20 clang-21 clang-22 clang-23 clang
	DOC "clang 19 or later, for the device library")
set(MORI_CLANG_USABLE "")
set(lost "no device library, and only part of the CUDA backend")
if(MORI_CLANG)
	execute_process(COMMAND ${MORI_CLANG} -dumpversion OUTPUT_VARIABLE clang_version
		OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
	if(clang_version VERSION_GREATER_EQUAL 19)
		set(MORI_CLANG_USABLE ${MORI_CLANG})
		mori_row("clang" found "${clang_version}, ${MORI_CLANG}")
	else()
		mori_row("clang" "too old" "${clang_version}, ${MORI_CLANG}"
			"install the package clang-19" "without it: ${lost}")
	endif()
else()
	mori_row("clang" missing "install the package clang-19" "without it: ${lost}")
endif()

set(missing)
foreach(tool opt llc llvm-dis llvm-link)
	string(TOUPPER "MORI_${tool}" variable)
	string(REPLACE "-" "_" variable ${variable})
	find_program(${variable} NAMES ${tool}-19 ${tool}-20 ${tool}-21 ${tool}-22 ${tool}-23 ${tool}
		DOC "${tool} of LLVM 19 or later")
	if(NOT ${variable})
		list(APPEND missing ${tool})
	endif()
endforeach()
set(MORI_LLVM_USABLE OFF)
set(failed)
if(NOT missing AND MORI_CLANG_USABLE)
	execute_process(COMMAND ${CMAKE_COMMAND} -E env MORI_BITCODE_CC=${MORI_CLANG_USABLE}
			${PROJECT_SOURCE_DIR}/tools/build_shmem_bitcode.sh --check
		RESULT_VARIABLE failed ERROR_VARIABLE why ERROR_STRIP_TRAILING_WHITESPACE)
endif()
if(missing)
	list(JOIN missing ", " missing)
	mori_row("LLVM tools" missing "install the package llvm-19, which has ${missing}"
		"without it: no device library")
elseif(failed)
	string(REGEX REPLACE ".*\n" "" why "${why}")
	mori_row("LLVM tools" unusable "${why}" "without it: no device library")
else()
	set(MORI_LLVM_USABLE ON)
	mori_row("LLVM tools" found "${MORI_OPT} and others")
endif()
