#include "support/http_tls.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <stdexcept>

namespace walspout::test {
namespace {

void check(bool ok, const char* what) {
  if (ok) return;
  char text[256];
  ERR_error_string_n(ERR_get_error(), text, sizeof text);
  throw std::runtime_error(std::string(what) + ": " + text);
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
File open_file(const std::string& path, const char* mode) {
  File file(std::fopen(path.c_str(), mode), std::fclose);
  if (!file) throw std::runtime_error("cannot open " + path);
  return file;
}

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Cert = std::unique_ptr<X509, decltype(&X509_free)>;

void add_extension(X509* cert, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value);
  check(extension != nullptr, "extension");
  X509_add_ext(cert, extension, -1);
  X509_EXTENSION_free(extension);
}

}  // namespace

Certificate make_certificate(const std::string& folder, const std::string& name,
                             const Certificate* issuer, const std::string& password) {
  const Certificate made{folder + "/" + name + ".crt", folder + "/" + name + ".key"};
  const Key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  check(key != nullptr, "key");
  const Cert cert(X509_new(), X509_free);
  X509_set_version(cert.get(), 2);
  static long serial = 0;
  ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(cert.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(cert.get()), 86400);
  X509_set_pubkey(cert.get(), key.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(cert.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  Cert issuer_cert(nullptr, X509_free);
  Key issuer_key(nullptr, EVP_PKEY_free);
  if (issuer != nullptr) {
    issuer_cert.reset(
        PEM_read_X509(open_file(issuer->cert_path, "r").get(), nullptr, nullptr, nullptr));
    issuer_key.reset(
        PEM_read_PrivateKey(open_file(issuer->key_path, "r").get(), nullptr, nullptr, nullptr));
    check(issuer_cert && issuer_key, "issuer");
  }
  X509* const signer = issuer != nullptr ? issuer_cert.get() : cert.get();
  X509_set_issuer_name(cert.get(), X509_get_subject_name(signer));
  add_extension(cert.get(), signer, NID_basic_constraints,
                issuer != nullptr ? "CA:FALSE" : "critical,CA:TRUE");
  add_extension(cert.get(), signer, NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost");
  check(X509_sign(cert.get(), issuer != nullptr ? issuer_key.get() : key.get(), EVP_sha256()) != 0,
        "sign");
  PEM_write_X509(open_file(made.cert_path, "w").get(), cert.get());
  const auto* const word = reinterpret_cast<const unsigned char*>(password.c_str());
  PEM_write_PrivateKey(open_file(made.key_path, "w").get(), key.get(),
                       password.empty() ? nullptr : EVP_aes_128_cbc(),
                       password.empty() ? nullptr : word, static_cast<int>(password.size()),
                       nullptr, nullptr);
  return made;
}

TlsServer::TlsServer(const Certificate& own, const std::string& client_ca)
    : context_(SSL_CTX_new(TLS_server_method())) {
  check(context_ != nullptr, "context");
  check(SSL_CTX_use_certificate_file(context_.get(), own.cert_path.c_str(), SSL_FILETYPE_PEM) == 1,
        "certificate");
  check(SSL_CTX_use_PrivateKey_file(context_.get(), own.key_path.c_str(), SSL_FILETYPE_PEM) == 1,
        "key");
  if (client_ca.empty()) return;
  check(SSL_CTX_load_verify_locations(context_.get(), client_ca.c_str(), nullptr) == 1, "CA");
  SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
}

TlsServer::Session TlsServer::accept(int socket) const {
  Session session(SSL_new(context_.get()));
  check(session != nullptr && SSL_set_fd(session.get(), socket) == 1, "session");
  if (SSL_accept(session.get()) != 1) {
    ERR_clear_error();
    return nullptr;
  }
  return session;
}

std::string TlsServer::subject(SSL* ssl) {
  const Cert cert(SSL_get1_peer_certificate(ssl), X509_free);
  if (!cert) return {};
  char name[256] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(cert.get()), NID_commonName, name, sizeof name);
  return name;
}

}  // namespace walspout::test
