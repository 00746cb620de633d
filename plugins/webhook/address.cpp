#include "address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace walspout::webhook {
namespace {

struct Net4 {
  std::uint32_t net;
  int bits;
};
// IANA's special-purpose registry: what is not "globally reachable", and multicast.
constexpr Net4 kNotPublic4[] = {
    {0x00000000, 8},   // this network
    {0x0A000000, 8},   // private
    {0x64400000, 10},  // shared, behind carriers' NAT
    {0x7F000000, 8},   // loopback
    {0xA9FE0000, 16},  // link-local, with the clouds' metadata services
    {0xAC100000, 12},  // private
    {0xC0000000, 24},  // protocol assignments
    {0xC0000200, 24},  // documentation
    {0xC0586300, 24},  // 6to4 relays, withdrawn
    {0xC0A80000, 16},  // private
    {0xC6120000, 15},  // benchmarking
    {0xC6336400, 24},  // documentation
    {0xCB007100, 24},  // documentation
    {0xE0000000, 4},   // multicast
    {0xF0000000, 4},   // reserved, and broadcast
};

bool is_public4(std::uint32_t address) {
  return std::none_of(std::begin(kNotPublic4), std::end(kNotPublic4),
                      [&](const Net4& n) { return (address ^ n.net) >> (32 - n.bits) == 0; });
}

using Bytes = std::array<std::uint8_t, 16>;

std::uint32_t four(const Bytes& b, std::size_t at) {
  return std::uint32_t{b[at]} << 24 | std::uint32_t{b[at + 1]} << 16 |
         std::uint32_t{b[at + 2]} << 8 | b[at + 3];
}

bool is_public6(const Bytes& b) {
  const std::uint32_t head = four(b, 0);
  const bool zeros = head == 0 && four(b, 4) == 0;
  // ::ffff:a.b.c.d, ::ffff:0:a.b.c.d, ::a.b.c.d (with :: and ::1)
  if (zeros) {
    const std::uint32_t third = four(b, 8);
    return (third == 0x0000FFFF || third == 0 || third == 0xFFFF0000) && is_public4(four(b, 12));
  }
  if (head == 0x0064FF9B)  // NAT64: the well-known prefix stands for the IPv4 address behind it
    return four(b, 4) == 0 && four(b, 8) == 0 && is_public4(four(b, 12));
  if (head >> 16 == 0x2002) return is_public4(four(b, 2));  // 6to4
  if ((head >> 29) != 1) return false;                      // all that is routed is in 2000::/3
  return head != 0x20010000 &&                              // Teredo
         (head & 0xFFFFFFF0) != 0x20010010 && (head & 0xFFFFFFF0) != 0x20010020 &&  // ORCHID
         head != 0x20010DB8 && (head & 0xFFFFF000) != 0x3FFF0000 &&                 // documentation
         !(head == 0x20010002 && b[4] == 0 && b[5] == 0);                           // benchmarking
}

}  // namespace

bool is_public(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in in = {};
    std::memcpy(&in, &address, sizeof in);
    return is_public4(ntohl(in.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 in = {};
    std::memcpy(&in, &address, sizeof in);
    Bytes bytes;
    std::memcpy(bytes.data(), &in.sin6_addr, bytes.size());
    return is_public6(bytes);
  }
  return false;
}

std::string address_text(const sockaddr& address) {
  char text[INET6_ADDRSTRLEN] = "";
  const char* done = nullptr;
  if (address.sa_family == AF_INET) {
    sockaddr_in in = {};
    std::memcpy(&in, &address, sizeof in);
    done = ::inet_ntop(AF_INET, &in.sin_addr, text, sizeof text);
  } else if (address.sa_family == AF_INET6) {
    sockaddr_in6 in = {};
    std::memcpy(&in, &address, sizeof in);
    done = ::inet_ntop(AF_INET6, &in.sin6_addr, text, sizeof text);
  }
  return done == nullptr ? "an unknown address" : text;
}

}  // namespace walspout::webhook
