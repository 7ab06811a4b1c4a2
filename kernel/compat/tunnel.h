/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* UDP tunnel sockets: the helpers take a struct sock now, a struct socket before. */
#ifndef ROX_COMPAT_TUNNEL_H
#define ROX_COMPAT_TUNNEL_H

#include <linux/compiler.h>
#include <net/udp_tunnel.h>

#define ROX_TUNNEL_TAKES_SOCK \
	__same_type(udp_tunnel_sock_release, void (struct sock *))
#define rox_tunnel_handle(sock) \
	__builtin_choose_expr(ROX_TUNNEL_TAKES_SOCK, (sock)->sk, (sock))

static inline void rox_tunnel_setup(struct net *net, struct socket *sock,
				    struct udp_tunnel_sock_cfg *cfg)
{
	setup_udp_tunnel_sock(net, rox_tunnel_handle(sock), cfg);
}

#endif
