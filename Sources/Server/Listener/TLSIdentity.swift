internal import CCrypto
internal import TidelogPlatform

/// The TLS identity of a server: a certificate file and a key file, both in PEM.
package struct TLSIdentity: Sendable {
    /// The file with the server's certificate, followed by the intermediate certificates.
    package let certificateFile: String
    /// The file with the certificate's private key, not encrypted.
    package let keyFile: String

    /// Makes an identity from two files.
    package init(certificateFile: String, keyFile: String) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }

    /// Checks that the files exist, have the right contents, and belong together.
    func check() throws(ListenerError) {
        let certificate = try Self.withFile(certificateFile) { PEM_read_bio_X509($0, nil, refuseToAsk, nil) }
        guard let certificate else {
            throw ListenerError(
                .invalidFile, "\(certificateFile) holds no certificate: give a file in PEM, the server's own one first."
            )
        }
        defer { X509_free(certificate) }
        let key = try Self.withFile(keyFile) { PEM_read_bio_PrivateKey($0, nil, refuseToAsk, nil) }
        guard let key else {
            throw ListenerError(
                .invalidFile, "\(keyFile) holds no private key that can be read: give a file in PEM, not encrypted.")
        }
        defer { EVP_PKEY_free(key) }
        guard X509_check_private_key(certificate, key) == 1 else {
            throw ListenerError(
                .keyMismatch,
                "The key in \(keyFile) is not that of the certificate in \(certificateFile): give the two that belong"
                    + " together.")
        }
    }

    private static func withFile(
        _ path: String, _ read: (OpaquePointer) -> OpaquePointer?
    ) throws(ListenerError) -> OpaquePointer? {
        guard let file = BIO_new_file(path, "r") else {
            let reason = String(cString: strerror(errno))
            throw ListenerError(.unreadableFile, "\(path) cannot be read: \(reason).")
        }
        defer {
            BIO_free(file)
            ERR_clear_error()
        }
        return read(file)
    }
}

/// The password callback of libcrypto. It refuses, because a prompt for a password would stop the server.
private func refuseToAsk(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isWriting: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 { -1 }
