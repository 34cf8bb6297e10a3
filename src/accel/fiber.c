// SPDX-License-Identifier: MIT
/*
 * The switch itself, for x86-64 and AArch64. A fiber that does not run has what a
 * call preserves on its stack, and nothing but its stack pointer elsewhere, so a
 * signal handler can let another one go on by two registers.
 */
#include "accel/fiber.h"

#include <ucontext.h>

#if FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/* Saves the caller at *from and continues where @to was saved. */
void fiber_swap(void **from, void *to) __attribute__((visibility("hidden")));
/* The second half: the stack pointer is that of a saved one. Not for C. */
void fiber_resume(void) __attribute__((visibility("hidden")));
/* Where a new one begins: calls what the frame below names. */
void fiber_begin(void) __attribute__((visibility("hidden")));

#if defined(__x86_64__)

/* The words of a saved fiber, from the stack pointer up. */
enum {
	SAVED_MODES,
	SAVED_R15,
	SAVED_R14,
	SAVED_R13,
	SAVED_R12,
	SAVED_RBX,
	SAVED_RBP,
	SAVED_PC,
	SAVED_WORDS
};
#define SAVED_MAIN SAVED_RBX

__asm__(".text\n"
	".p2align 4\n"
	".hidden fiber_swap\n"
	".globl fiber_swap\n"
	".type fiber_swap, @function\n"
	"fiber_swap:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	subq $8, %rsp\n"
	"	stmxcsr (%rsp)\n"
	"	fnstcw 4(%rsp)\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	".hidden fiber_resume\n"
	".globl fiber_resume\n"
	"fiber_resume:\n"
	"	ldmxcsr (%rsp)\n"
	"	fldcw 4(%rsp)\n"
	"	addq $8, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size fiber_swap, . - fiber_swap\n"
	".p2align 4\n"
	".hidden fiber_begin\n"
	".globl fiber_begin\n"
	".type fiber_begin, @function\n"
	"fiber_begin:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n" /* a backtrace ends here */
	"	xorl %ebp, %ebp\n"
	"	callq *%rbx\n"
	"	ud2\n"
	"	.cfi_endproc\n"
	".size fiber_begin, . - fiber_begin\n");

static uint64_t fiber_modes(void)
{
	uint32_t mxcsr;
	uint16_t x87;

	__asm__ __volatile__("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87));
	return mxcsr | (uint64_t)x87 << 32;
}

static void fiber_frame(uint64_t *frame, void (*main)(void))
{
	frame[SAVED_MODES] = fiber_modes();
	frame[SAVED_MAIN] = (uint64_t)(uintptr_t)main;
	frame[SAVED_PC] = (uint64_t)(uintptr_t)fiber_begin;
}

static void fiber_redirect(ucontext_t *uc, void *sp)
{
	uc->uc_mcontext.gregs[REG_RSP] = (greg_t)(uintptr_t)sp;
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)fiber_resume;
	uc->uc_mcontext.gregs[REG_EFL] &= ~0x400; /* the direction flag is clear at a call */
}

uint64_t fiber_signal_sp(const void *ucontext)
{
	return (uint64_t)((const ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RSP];
}

TSAN_BARE uint64_t fiber_signal_state(const void *ucontext)
{
	const greg_t *g = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;
	uint64_t h = 0;

	for (int i = 0; i <= REG_RIP; i++)
		h = (h ^ (uint64_t)g[i]) * 0x9e3779b97f4a7c15u;
	return h;
}

int fiber_signal_write(const void *ucontext)
{
	return ((const ucontext_t *)ucontext)->uc_mcontext.gregs[REG_ERR] >> 1 & 1;
}

#elif defined(__aarch64__)

enum { SAVED_X19, SAVED_X29 = 10, SAVED_PC, SAVED_D8, SAVED_FPCR = 20, SAVED_WORDS = 22 };
#define SAVED_MAIN SAVED_X19

__asm__(".text\n"
	".p2align 4\n"
	".hidden fiber_swap\n"
	".globl fiber_swap\n"
	".type fiber_swap, %function\n"
	"fiber_swap:\n"
	"	.cfi_startproc\n"
	"	hint #34\n" /* bti c */
	"	sub sp, sp, #176\n"
	"	stp x19, x20, [sp, #0]\n"
	"	stp x21, x22, [sp, #16]\n"
	"	stp x23, x24, [sp, #32]\n"
	"	stp x25, x26, [sp, #48]\n"
	"	stp x27, x28, [sp, #64]\n"
	"	stp x29, x30, [sp, #80]\n"
	"	stp d8, d9, [sp, #96]\n"
	"	stp d10, d11, [sp, #112]\n"
	"	stp d12, d13, [sp, #128]\n"
	"	stp d14, d15, [sp, #144]\n"
	"	mrs x9, fpcr\n"
	"	str x9, [sp, #160]\n"
	"	mov x9, sp\n"
	"	str x9, [x0]\n"
	"	mov sp, x1\n"
	".hidden fiber_resume\n"
	".globl fiber_resume\n"
	"fiber_resume:\n"
	"	hint #36\n" /* bti j */
	"	ldp x19, x20, [sp, #0]\n"
	"	ldp x21, x22, [sp, #16]\n"
	"	ldp x23, x24, [sp, #32]\n"
	"	ldp x25, x26, [sp, #48]\n"
	"	ldp x27, x28, [sp, #64]\n"
	"	ldp x29, x30, [sp, #80]\n"
	"	ldp d8, d9, [sp, #96]\n"
	"	ldp d10, d11, [sp, #112]\n"
	"	ldp d12, d13, [sp, #128]\n"
	"	ldp d14, d15, [sp, #144]\n"
	"	ldr x9, [sp, #160]\n"
	"	msr fpcr, x9\n"
	"	add sp, sp, #176\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size fiber_swap, . - fiber_swap\n"
	".p2align 4\n"
	".hidden fiber_begin\n"
	".globl fiber_begin\n"
	".type fiber_begin, %function\n"
	"fiber_begin:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined x30\n" /* a backtrace ends here */
	"	mov x29, xzr\n"
	"	blr x19\n"
	"	brk #1\n"
	"	.cfi_endproc\n"
	".size fiber_begin, . - fiber_begin\n");

static void fiber_frame(uint64_t *frame, void (*main)(void))
{
	__asm__ __volatile__("mrs %0, fpcr" : "=r"(frame[SAVED_FPCR]));
	frame[SAVED_MAIN] = (uint64_t)(uintptr_t)main;
	frame[SAVED_PC] = (uint64_t)(uintptr_t)fiber_begin;
}

static void fiber_redirect(ucontext_t *uc, void *sp)
{
	uc->uc_mcontext.sp = (uint64_t)(uintptr_t)sp;
	uc->uc_mcontext.pc = (uint64_t)(uintptr_t)fiber_resume;
}

uint64_t fiber_signal_sp(const void *ucontext)
{
	return ((const ucontext_t *)ucontext)->uc_mcontext.sp;
}

TSAN_BARE uint64_t fiber_signal_state(const void *ucontext)
{
	const mcontext_t *m = &((const ucontext_t *)ucontext)->uc_mcontext;
	uint64_t h = m->pc;

	for (int i = 0; i < 31; i++)
		h = (h ^ m->regs[i]) * 0x9e3779b97f4a7c15u;
	return h;
}

int fiber_signal_write(const void *ucontext)
{
	(void)ucontext;
	return -1;
}

#else
#error "kernels on the CPU need a fiber switch for this machine"
#endif

void fiber_here(struct fiber *f)
{
	*f = (struct fiber){ .sp = NULL };
#if FIBER_TSAN
	f->tsan = __tsan_get_current_fiber();
#endif
}

void fiber_make(struct fiber *f, void *lo, void *hi, void (*main)(void))
{
	/* A call finds the stack pointer at a multiple of 16, before it pushes. */
	uintptr_t top = ((uintptr_t)hi & ~(uintptr_t)15) - (SAVED_WORDS * 8 + 15) / 16 * 16;
	uint64_t *frame = (uint64_t *)top;

	for (int i = 0; i < SAVED_WORDS; i++)
		frame[i] = 0;
	fiber_frame(frame, main);
	f->sp = frame;
	f->fake = NULL;
	f->bottom = lo;
	f->size = (size_t)((char *)hi - (char *)lo);
}

TSAN_BARE void fiber_switch(struct fiber *from, struct fiber *to)
{
#if FIBER_ASAN
	__sanitizer_start_switch_fiber(&from->fake, to->bottom, to->size);
#endif
#if FIBER_TSAN
	__tsan_switch_to_fiber(to->tsan, 0);
#endif
	fiber_swap(&from->sp, to->sp);
#if FIBER_TSAN
	/* A fiber_land() ends here too, and a signal handler cannot notify TSan. */
	if (__tsan_get_current_fiber() != from->tsan)
		__tsan_switch_to_fiber(from->tsan, 0);
#endif
#if FIBER_ASAN
	__sanitizer_finish_switch_fiber(from->fake, NULL, NULL);
#endif
}

TSAN_BARE void fiber_arrived(struct fiber *from)
{
#if FIBER_ASAN
	__sanitizer_finish_switch_fiber(NULL, &from->bottom, &from->size);
#else
	(void)from;
#endif
}

TSAN_BARE void fiber_leave(struct fiber *from, struct fiber *to)
{
#if FIBER_ASAN
	__sanitizer_start_switch_fiber(NULL, to->bottom, to->size);
#endif
#if FIBER_TSAN
	__tsan_switch_to_fiber(to->tsan, 0);
#endif
	fiber_swap(&from->sp, to->sp);
	__builtin_unreachable();
}

TSAN_BARE void fiber_land(void *ucontext, struct fiber *to)
{
#if FIBER_ASAN
	__sanitizer_start_switch_fiber(NULL, to->bottom, to->size);
#endif
	fiber_redirect(ucontext, to->sp);
}

void *fiber_tsan_open(void)
{
#if FIBER_TSAN
	return __tsan_create_fiber(0);
#else
	return NULL;
#endif
}

void fiber_tsan_close(void *tsan)
{
#if FIBER_TSAN
	if (tsan)
		__tsan_destroy_fiber(tsan);
#else
	(void)tsan;
#endif
}

void fiber_stack_clean(void *lo, size_t size)
{
#if FIBER_ASAN
	__asan_unpoison_memory_region(lo, size);
#else
	(void)lo;
	(void)size;
#endif
}
