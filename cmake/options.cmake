# SPDX-License-Identifier: MIT
# What a build has in it. Each MORI_WITH_* is AUTO (take it if all it needs is there), ON (stop if
# something is missing) or OFF (leave it out). Every component reports a row of the summary, which
# ends each configuration and is kept in summary.txt of the build folder; docs/building.md.

# mori_option(name text): the option MORI_WITH_<name>.
function(mori_option name text)
	set(option MORI_WITH_${name})
	set(${option} AUTO CACHE STRING "${text}: AUTO, ON or OFF")
	set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
	if(NOT "${${option}}" MATCHES "^(AUTO|ON|OFF)$")
		message(FATAL_ERROR "${option}=${${option}} is not valid: use AUTO, ON or OFF")
	endif()
endfunction()

option(BUILD_TESTING "Build the tests" ${PROJECT_IS_TOP_LEVEL})
mori_option(FABRIC "Networks through libfabric")
mori_option(VERBS "NICs that kernels drive, through libibverbs")
mori_option(CUDA "The backend for NVIDIA GPUs")
mori_option(HIP "The backend for AMD GPUs")
mori_option(PYTHON "The Python package")
mori_option(BITCODE "The device library")

# mori_row(component state text...): one row of the summary; each further text has its own line.
function(mori_row component state)
	string(SUBSTRING "${component}                          " 0 26 component)
	string(SUBSTRING "${state}         " 0 9 state)
	string(JOIN "\n                                     " text ${ARGN})
	set_property(GLOBAL APPEND_STRING PROPERTY MORI_SUMMARY "  ${component}${state}${text}\n")
endfunction()

# mori_missing(component state option package lost): a row for what is not there. Where the option
# is ON, the configuration fails once all rows are known.
function(mori_missing component state option package lost)
	mori_row("${component}" ${state} "install the package ${package}" "without it: ${lost}")
	if(MORI_WITH_${option} STREQUAL "ON")
		string(CONCAT error "MORI_WITH_${option}=ON cannot be met (${component}: ${state}): "
			"install the package ${package}, or use AUTO or OFF.")
		set_property(GLOBAL APPEND PROPERTY MORI_ERRORS "${error}")
	endif()
endfunction()

# mori_off(component option lost)
function(mori_off component option lost)
	mori_row("${component}" off "MORI_WITH_${option}=OFF" "without it: ${lost}")
endfunction()

# mori_find_headers(name component header package lost): sets MORI_<name>, and MORI_<name>_INCLUDE
# if it is on.
function(mori_find_headers name component header package lost)
	set(found OFF)
	if(MORI_WITH_${name} STREQUAL "OFF")
		mori_off("${component}" ${name} "${lost}")
	else()
		find_path(MORI_${name}_INCLUDE ${header})
		if(MORI_${name}_INCLUDE)
			set(found ON)
			mori_row("${component}" found "${MORI_${name}_INCLUDE}")
		else()
			mori_missing("${component}" missing ${name} ${package} "${lost}")
		endif()
	endif()
	set(MORI_${name} ${found} PARENT_SCOPE)
endfunction()

function(mori_summary)
	get_property(rows GLOBAL PROPERTY MORI_SUMMARY)
	set(text "MORI Shmem ${PROJECT_VERSION}: what this build has\n${rows}")
	if(rows MATCHES "install the package")
		string(APPEND text
			"  A build installs nothing itself; tools/setup.sh does, on Debian and Ubuntu.\n")
	endif()
	file(WRITE ${PROJECT_BINARY_DIR}/summary.txt "${text}")
	message(STATUS "${text}")
	get_property(errors GLOBAL PROPERTY MORI_ERRORS)
	if(errors)
		list(JOIN errors "\n" errors)
		message(FATAL_ERROR "${errors}")
	endif()
endfunction()

mori_row("C compiler" found
	"${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}, ${CMAKE_C_COMPILER}")
