// SPDX-License-Identifier: MIT
/*
 * Addresses: IPv4 only, IPv6 only, one interface, a list too long for the id, an
 * interface that is not there, and two "nodes" on one machine by MORI_NODE_ID.
 */
#include "boot/helper.h"

#include <arpa/inet.h>

static const struct ip_addr lo4 = { .family = 4, .bytes = { 127, 0, 0, 1 } };
static const struct ip_addr lo6 = { .family = 6, .bytes = { [15] = 1 } };

static int try_join(const unsigned char *uid)
{
	struct pe p = { .uid = uid, .nranks = 1, .timeout_s = WAIT_S };

	if (pe_join(&p))
		return p.status;
	check_collectives(&p, 1);
	boot_leave(p.b, 0);
	return 0;
}

static int have_ipv6(void)
{
	struct ip_addr *a;
	int n, found = 0;

	if (ip_addrs("lo", IP_LOOPBACK_NONE, &a, &n))
		return 0;
	for (int i = 0; i < n; i++)
		found |= a[i].family == 6;
	free(a);
	return found;
}

/* As a client on another node would: only the advertised address counts. */
static void run_only(const char *ifname, const struct ip_addr *addr)
{
	struct boot_config c = { .ifname = ifname, .timeout_s = WAIT_S };
	unsigned char uid[BOOT_UID_BYTES], open[BOOT_UID_BYTES];
	struct uid u;

	CHECK(boot_open_rdv(&c, open) == 0);
	CHECK(uid_parse(open, &u) == 0);
	u.node ^= 1;
	uid_pack(&u, addr, 1, uid);
	CHECK(try_join(uid) == 0, "family %d", addr->family);
	boot_close_rdv(open);
}

static void run_ifname(void)
{
	struct boot_config c = { .ifname = "lo", .timeout_s = WAIT_S };
	unsigned char uid[BOOT_UID_BYTES];
	struct uid u;

	CHECK(boot_open_rdv(&c, uid) == 0);
	CHECK(uid_parse(uid, &u) == 0);
	CHECK(u.loopback && u.n_addrs >= 1);
	for (int i = 0; i < u.n_addrs; i++)
		CHECK(!memcmp(u.addrs[i].bytes, u.addrs[i].family == 4 ? lo4.bytes : lo6.bytes,
			      u.addrs[i].family == 4 ? 4 : 16));
	CHECK(try_join(uid) == 0);
	/* Without a name: no loopback and no link-local address is advertised. */
	c.ifname = NULL;
	CHECK(boot_open_rdv(&c, uid) == 0);
	CHECK(uid_parse(uid, &u) == 0);
	CHECK(u.loopback);
	for (int i = 0; i < u.n_addrs; i++) {
		CHECK(u.addrs[i].family == 6 || u.addrs[i].bytes[0] != 127);
		CHECK(u.addrs[i].family == 4 || (u.addrs[i].bytes[0] != 0xfe &&
						 memcmp(u.addrs[i].bytes, lo6.bytes, 16) != 0));
	}
	CHECK(try_join(uid) == 0);
	c.ifname = "nosuch0";
	CHECK(boot_open_rdv(&c, uid) == MORI_SHMEM_EINVAL);
	CHECK(strstr(err_text(), "MORI_SOCKET_IFNAME") && strstr(err_text(), "nosuch0"));
}

/* More addresses than fit: the first ones are kept, and short ones fill the rest. */
static void run_pack(void)
{
	struct ip_addr many[40];
	unsigned char uid[BOOT_UID_BYTES];
	struct uid u = { .port = 4242, .loopback = 1 }, back;

	for (int i = 0; i < 40; i++) {
		many[i] = (struct ip_addr){ .family = i < 6 ? 6 : 4 };
		memset(many[i].bytes, i + 1, many[i].family == 6 ? 16 : 4);
	}
	memset(u.secret, 0xc1, MAC_BYTES);
	uid_pack(&u, many, 40, uid);
	CHECK(uid_parse(uid, &back) == 0);
	CHECK(back.port == 4242 && back.loopback == 1 && back.n_addrs == 6, "%d", back.n_addrs);
	for (int i = 0; i < 5; i++)
		CHECK(back.addrs[i].family == 6 && back.addrs[i].bytes[15] == i + 1);
	CHECK(back.addrs[5].family == 4 && back.addrs[5].bytes[3] == 7);
	CHECK(!memcmp(back.secret, u.secret, MAC_BYTES));
}

/* Three processes, two of them of one "node": numbered by their lowest rank. */
static int run_node(const unsigned char *uid, int rank)
{
	struct boot_config c = { .node_id = rank == 1 ? "b" : "a", .timeout_s = WAIT_S };
	struct blob mine = blob_of(rank);
	struct boot *b;
	int fd = 0;

	if (!CHECK(boot_join(&c, uid, rank, 3, &mine, sizeof(mine), &b) == 0))
		return test_result();
	CHECK(boot_n_nodes(b) == 2 && boot_n_procs(b) == 3);
	CHECK(boot_peer(b, 0)->node == 0 && boot_peer(b, 1)->node == 1 &&
	      boot_peer(b, 2)->node == 0);
	if (rank == 1)
		CHECK(boot_send_fds(b, 0, 1, &fd, 1) == MORI_SHMEM_EREACH);
	CHECK(boot_barrier(b, rank, WAIT_S) == 0);
	boot_leave(b, rank);
	return test_result();
}

static void run_nodes(void)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];
	pid_t pids[3];

	CHECK(boot_open_rdv(&c, uid) == 0);
	for (int i = 0; i < 3; i++)
		pids[i] = spawn("node", uid, 1, i);
	for (int i = 0; i < 3; i++)
		CHECK(reap(pids[i]) == 0);
	boot_close_rdv(uid);
}

int main(int argc, char **argv)
{
	unsigned char uid[BOOT_UID_BYTES];

	test_deadline(120);
	if (argc > 1) {
		test_uid(argc, argv, uid);
		return run_node(uid, atoi(argv[3]));
	}
	run_pack();
	run_only(NULL, &lo4);
	run_only("lo", &lo4);
	if (have_ipv6()) {
		run_only(NULL, &lo6);
		run_only("lo", &lo6);
	} else {
		printf("no IPv6 here: that half is not tested\n");
	}
	run_ifname();
	run_nodes();
	return test_result();
}
