# SPDX-License-Identifier: MIT
# mori_test(): how a test program is run. A source says what it needs in a
# comment within its first lines, with keys separated by blanks:
#
#	/* TEST: pes=2,4 modes=procs,threads timeout=60 env=A=B arg=x serial=1 */
#
#	pes	numbers of PEs; default 4
#	modes	procs (a process a PE), threads (one process), mixed (half as many
#		processes as PEs); default all three
#	timeout	seconds; default 120; more under a sanitizer
#	env	a variable for the test; arg: an argument; both may be repeated
#	serial	1: no other test runs beside it
#	lock	a name: no other test with that lock runs beside it
#	waits	1: it mostly waits, so that it may run beside two others
#	quick	0: not in the short run that CI makes with a second compiler
#	wrapper	none: runs without the launcher, because it starts its PEs itself
#	net	how it runs over the network too, as NAME.net: procs and threads, with load and
#		store between PEs turned off; nodes, with two PEs a node; none; default all
#		three for programs of the host, none for others
#	formats	of queues, as mlx5,bnxt: then it runs in each of them, too, as NAME.net_FORMAT
#
# Exit codes: 0 passed, 77 skipped (with a printed reason), anything else failed.
#
# Which of the ways to run a program a plain run takes: sample.cmake.

include(${PROJECT_SOURCE_DIR}/cmake/sample.cmake)

if(MORI_SANITIZE)
	set(MORI_TEST_SLOWER 3)
else()
	set(MORI_TEST_SLOWER 1)
endif()

# Tests of the CPU mean the CPU, also where there is a GPU; gpu/run has its own.
set(MORI_TEST_ENV
	"MORI_SHMEM_DEVICE=cpu"
	"ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:detect_stack_use_after_return=1:strict_string_checks=1"
	"LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0"
	"UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1"
	"TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp:halt_on_error=1:second_deadlock_stack=1:allocator_may_return_null=1")

# mori_add(name command... ): one test with the properties that all share. Reads
# TEST_TIMEOUT, TEST_ENV, TEST_SERIAL, TEST_WAITS, TEST_LOCK and TEST_LABELS of the caller.
function(mori_add name)
	add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
	math(EXPR timeout "${TEST_TIMEOUT} * ${MORI_TEST_SLOWER}")
	set_tests_properties(${name} PROPERTIES
		SKIP_RETURN_CODE 77
		TIMEOUT ${timeout}
		LABELS "${TEST_LABELS}"
		ENVIRONMENT "${MORI_TEST_ENV};${TEST_ENV}")
	if(TEST_SERIAL)
		set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
	elseif(TEST_TIMEOUT GREATER 120) # long ones first, or the last of them runs alone
		set_tests_properties(${name} PROPERTIES COST ${TEST_TIMEOUT})
	endif()
	if(TEST_LOCK)
		set_tests_properties(${name} PROPERTIES RESOURCE_LOCK ${TEST_LOCK})
	endif()
	if(NOT TEST_WAITS) # tests/run has slots for two of these and one that waits
		set_tests_properties(${name} PROPERTIES PROCESSORS 2)
	endif()
endfunction()

# mori_test_net(target): the same test over the network, once a way, with the most PEs it has.
# Reads the TEST_* of the caller.
function(mori_test_net target)
	list(SORT TEST_PES COMPARE NATURAL ORDER DESCENDING)
	list(APPEND TEST_PES 4)
	list(GET TEST_PES 0 n)
	set(env ${TEST_ENV})
	foreach(way IN LISTS TEST_NET)
		set(command $<TARGET_FILE:mori> run -n ${n} -- $<TARGET_FILE:${target}>)
		set(TEST_ENV ${env} MORI_DISABLE_P2P=1)
		set(TEST_LABELS net ${way})
		if(way STREQUAL "none" OR (way STREQUAL "nodes" AND n LESS 3))
			continue()
		elseif(way STREQUAL "nodes")
			set(TEST_ENV ${env} PES_NODE=2)
		elseif(TEST_MODES AND NOT way IN_LIST TEST_MODES)
			continue()
		elseif(way STREQUAL "threads")
			list(INSERT command 4 --threads ${n})
		endif()
		if(TEST_NO_LAUNCHER)
			set(command $<TARGET_FILE:${target}>)
		endif()
		mori_add(${target}.net.${way} ${command} ${TEST_ARGS})
		if(TEST_NO_LAUNCHER)
			continue()
		elseif(way STREQUAL "nodes")
			mori_way(${target}.net.nodes ${target} procs ${n} nodes)
		else()
			mori_way(${target}.net.${way} ${target} ${way} ${n} net)
		endif()
	endforeach()
	foreach(format IN LISTS TEST_FORMATS)
		set(TEST_ENV ${env} MORI_DISABLE_P2P=1 MORI_NIC_FORMAT=${format}
			LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/tests/formats)
		set(TEST_LABELS net procs)
		mori_add(${target}.net_${format}.procs $<TARGET_FILE:mori> run -n 2 --
			$<TARGET_FILE:${target}> ${TEST_ARGS})
		mori_way(${target}.net_${format}.procs ${target} procs 2 ${format})
	endforeach()
endfunction()

# mori_test(target [PES n...] [MODES m...] [TIMEOUT s] [ENV v=x...] [ARGS a...]
#	[LABELS l...] [LOCK name] [SERIAL] [WAITS] [NO_LAUNCHER]): register a program in each mode
#	with each number of PEs, or once without the launcher.
function(mori_test target)
	cmake_parse_arguments(TEST "SERIAL;WAITS;NO_LAUNCHER" "TIMEOUT;LOCK" "PES;MODES;ENV;ARGS;LABELS;NET;FORMATS" ${ARGN})
	if(NOT TEST_TIMEOUT)
		set(TEST_TIMEOUT 120)
	endif()
	mori_test_net(${target})
	if(TEST_NO_LAUNCHER)
		mori_add(${target} $<TARGET_FILE:${target}> ${TEST_ARGS})
		return()
	endif()
	if(NOT TEST_PES)
		set(TEST_PES 4)
	endif()
	if(NOT TEST_MODES)
		set(TEST_MODES procs threads mixed)
	endif()
	set(labels ${TEST_LABELS})
	foreach(n IN LISTS TEST_PES)
		foreach(mode IN LISTS TEST_MODES)
			math(EXPR half "${n} / 2")
			math(EXPR odd "${n} % 2")
			set(threads)
			if(mode STREQUAL "threads")
				set(threads --threads ${n})
			elseif(mode STREQUAL "mixed")
				if(odd OR n LESS 4)
					continue()
				endif()
				set(threads --threads ${half})
			elseif(NOT mode STREQUAL "procs")
				message(FATAL_ERROR "${target}: unknown mode ${mode}")
			endif()
			set(TEST_LABELS ${labels} ${mode})
			mori_add(${target}.${mode}.${n} $<TARGET_FILE:mori> run -n ${n} ${threads} --
				$<TARGET_FILE:${target}> ${TEST_ARGS})
			mori_way(${target}.${mode}.${n} ${target} ${mode} ${n} p2p)
		endforeach()
	endforeach()
endfunction()

# mori_read_spec(file out): what the TEST comment of a source says, as arguments
# of mori_test(). A key that does not exist stops the configuration.
function(mori_read_spec file out)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
	file(STRINGS ${file} lines LIMIT_COUNT 5 REGEX "TEST: ")
	set(args)
	set(env)
	set(arg)
	set(quick quick)
	string(REGEX MATCH "TEST: ([^*]*)" _ "${lines}")
	separate_arguments(words UNIX_COMMAND "${CMAKE_MATCH_1}")
	foreach(word IN LISTS words)
		if(NOT word MATCHES "^([a-z]+)=(.*)$")
			message(FATAL_ERROR "${file}: \"${word}\" in the TEST comment is not key=value")
		endif()
		set(key ${CMAKE_MATCH_1})
		set(value ${CMAKE_MATCH_2})
		string(REPLACE "," ";" values "${value}")
		if(key STREQUAL "pes")
			list(APPEND args PES ${values})
		elseif(key STREQUAL "modes")
			list(APPEND args MODES ${values})
		elseif(key STREQUAL "net")
			list(APPEND args NET ${values})
		elseif(key STREQUAL "formats")
			list(APPEND args FORMATS ${values})
		elseif(key STREQUAL "timeout")
			list(APPEND args TIMEOUT ${value})
		elseif(key STREQUAL "env")
			list(APPEND env ${value})
		elseif(key STREQUAL "arg")
			list(APPEND arg ${value})
		elseif(key STREQUAL "serial")
			if(value)
				list(APPEND args SERIAL)
			endif()
		elseif(key STREQUAL "lock")
			list(APPEND args LOCK ${value})
		elseif(key STREQUAL "waits")
			if(value)
				list(APPEND args WAITS)
			endif()
		elseif(key STREQUAL "quick")
			if(NOT value)
				set(quick)
			endif()
		elseif(key STREQUAL "wrapper" AND value STREQUAL "none")
			list(APPEND args NO_LAUNCHER)
		else()
			message(FATAL_ERROR "${file}: unknown key \"${word}\" in the TEST comment")
		endif()
	endforeach()
	set(${out} ${args} ENV ${env} ARGS ${arg} LABELS ${quick} PARENT_SCOPE)
endfunction()
