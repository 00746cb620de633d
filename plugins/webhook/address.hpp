// Which addresses a receiver out there can have.
#pragma once

#include <sys/socket.h>

#include <string>

namespace walspout::webhook {

// False for loopback, private, link-local, shared, multicast, reserved and unknown addresses, and
// for IPv6 addresses that stand for such an IPv4 one (mapped, compatible, NAT64, 6to4).
bool is_public(const sockaddr& address);

// "192.168.0.1", "fe80::1"; "an unknown address" for other families.
std::string address_text(const sockaddr& address);

}  // namespace walspout::webhook
