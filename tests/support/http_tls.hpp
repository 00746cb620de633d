// Certificates and TLS for support/http_server.hpp.
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <string>

namespace walspout::test {

// A key with its certificate, in files.
struct Certificate {
  std::string cert_path, key_path;
};

// Writes NAME.crt and NAME.key into the folder: for 127.0.0.1 and localhost, signed by the issuer,
// or an authority of its own without one. The key is encrypted when there is a password.
Certificate make_certificate(const std::string& folder, const std::string& name,
                             const Certificate* issuer = nullptr, const std::string& password = "");

// The server's side of TLS.
class TlsServer {
 public:
  // client_ca: the authority that must have signed a client's certificate; "" asks for none.
  TlsServer(const Certificate& own, const std::string& client_ca);

  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  using Session = std::unique_ptr<SSL, Free>;
  Session accept(int socket) const;  // nullptr: the handshake failed
  static std::string subject(SSL* ssl);

 private:
  std::unique_ptr<SSL_CTX, Free> context_;
};

}  // namespace walspout::test
