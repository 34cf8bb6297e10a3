#!/bin/bash
# SPDX-License-Identifier: MIT
# usage: calls.sh LIBRARY >calls.S
#
# Every function that the library exports, as a door in front of it: near_before() runs, then
# the function with the caller's own registers and stack, then near_after().
set -eu -o pipefail

names=$(nm -D --defined-only "$1" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }')
i=0
echo '.text'
for name in $names; do
	printf '.globl %s\n.type %s, @function\n%s:\n\tmovl $%d, %%r11d\n\tjmp near_enter\n' "$name" "$name" "$name" $i
	i=$((i + 1))
done
cat <<'END'
near_enter:
	subq $200, %rsp
	movq %rdi, 0(%rsp)
	movq %rsi, 8(%rsp)
	movq %rdx, 16(%rsp)
	movq %rcx, 24(%rsp)
	movq %r8, 32(%rsp)
	movq %r9, 40(%rsp)
	movq %rax, 48(%rsp)
	movups %xmm0, 64(%rsp)
	movups %xmm1, 80(%rsp)
	movups %xmm2, 96(%rsp)
	movups %xmm3, 112(%rsp)
	movups %xmm4, 128(%rsp)
	movups %xmm5, 144(%rsp)
	movups %xmm6, 160(%rsp)
	movups %xmm7, 176(%rsp)
	movl %r11d, %edi
	movq 200(%rsp), %rsi
	call near_before
	movq %rax, %r11
	movq 0(%rsp), %rdi
	movq 8(%rsp), %rsi
	movq 16(%rsp), %rdx
	movq 24(%rsp), %rcx
	movq 32(%rsp), %r8
	movq 40(%rsp), %r9
	movq 48(%rsp), %rax
	movups 64(%rsp), %xmm0
	movups 80(%rsp), %xmm1
	movups 96(%rsp), %xmm2
	movups 112(%rsp), %xmm3
	movups 128(%rsp), %xmm4
	movups 144(%rsp), %xmm5
	movups 160(%rsp), %xmm6
	movups 176(%rsp), %xmm7
	addq $200, %rsp
	leaq near_leave(%rip), %r10
	movq %r10, (%rsp)
	jmp *%r11
near_leave:
	subq $48, %rsp
	movq %rax, 0(%rsp)
	movq %rdx, 8(%rsp)
	movups %xmm0, 16(%rsp)
	movups %xmm1, 32(%rsp)
	call near_after
	movq %rax, %r11
	movq 0(%rsp), %rax
	movq 8(%rsp), %rdx
	movups 16(%rsp), %xmm0
	movups 32(%rsp), %xmm1
	addq $48, %rsp
	jmp *%r11
.section .rodata
END
i=0
for name in $names; do
	printf '.Lname%d: .string "%s"\n' $i "$name"
	i=$((i + 1))
done
printf '.section .data.rel.ro,"aw"\n.globl near_names\n.hidden near_names\n.balign 8\nnear_names:\n'
for ((k = 0; k < i; k++)); do
	printf '\t.quad .Lname%d\n' $k
done
printf '\t.quad 0\n.section .note.GNU-stack,"",@progbits\n'
