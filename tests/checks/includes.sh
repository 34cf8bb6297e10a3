#!/bin/bash
# SPDX-License-Identifier: MIT
# Includes go down only, as the table below lists for each folder, and no header includes itself
# through others.
. "$(dirname "$0")/common.inc"

# folder: the other folders whose private headers it may include
rules='
include:
src/ops:
src/util:
src/abi:
src/target:	abi
src/nic:	abi target
src/dev:	target nic abi ops
src/stream:	util
src/boot:	util stream
src/emu:
src/accel:	util abi emu
src/net:	util abi target nic stream
src/core:	util abi target nic dev accel net boot ops
tools:
tools/list:	ops
tools/mori:	util emu boot
bench:		mori
examples:
python:
tests/kfd:	emu abi
tests:		util stream abi target nic dev boot accel net core fake nodes ops
'

# The deepest folder of the table that contains the file.
rule_of() {
	local folder=${1%/*}
	while [ -n "$folder" ]; do
		if grep -q "^$folder:" <<<"$rules"; then
			echo "$folder"
			return
		fi
		[ "$folder" != "${folder%/*}" ] || return
		folder=${folder%/*}
	done
}

for file in $(c_files); do
	folder=$(rule_of "$file")
	[ -n "$folder" ] || { bad "$file: its folder is not in the table of tests/checks/includes.sh"; continue; }
	looked=$((looked + 1))
	allowed=" $(sed -n "s|^$folder:[[:blank:]]*||p" <<<"$rules") ${folder##*/} "
	# Tests of internal functions are unit_, boot_ and net_, the mock knows the kernels, and kern_apart changes
	# a PE's state; others are users, who share only the list of operations.
	case $file in
	tests/unit_* | tests/boot_* | tests/net_* | tests/boot/* | tests/net/* | tests/mock/* | tests/fake/* | tests/kfd/*) ;;
	tests/kern_apart.c) allowed=" tests kernels ops abi " ;;
	tests/*) allowed=" tests kernels ops " ;;
	esac
	# The host's target waits like everything else of the host.
	[ "${file##*/}" != target_host.h ] || allowed+="util "
	while IFS= read -r name; do
		case $name in */*) to=${name%%/*} ;; *) continue ;; esac
		[ "$name" = "${name#../}" ] || bad "$file: includes \"$name\" through .."
		case $allowed in *" $to "*) continue ;; esac
		bad "$file: may not include \"$name\""
	done < <(sed -n 's/^[[:blank:]]*#[[:blank:]]*include[[:blank:]]*"\([^"]*\)".*/\1/p' "$file")
	# Public headers are included in angle brackets and lie in include/mori.
	while IFS= read -r name; do
		[ -e "include/$name" ] || bad "$file: there is no public header <$name>"
	done < <(sed -n 's/^[[:blank:]]*#[[:blank:]]*include[[:blank:]]*<\(mori\/[^>]*\)>.*/\1/p' "$file")
done

# "header included" for each pair of private headers: tsort names those in a cycle.
cycle=$(grep -oE '^[[:blank:]]*#[[:blank:]]*include[[:blank:]]*"[^"]+\.h"' src/*/*.h |
	sed -E 's|^src/([^:]*):.*"(.*)"$|\1 \2|' | tsort 2>&1 >/dev/null | sed -n 's/^tsort: \(.*\.h\)$/\1/p')
[ -z "$cycle" ] || bad "headers that include each other in a cycle:" $cycle
finish
