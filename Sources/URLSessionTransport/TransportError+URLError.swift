internal import TidelogFoundation
internal import TidelogTransport

#if !canImport(Darwin)
    internal import Foundation
    internal import FoundationNetworking
#endif

extension TransportError {
    /// The error for an error of `URLSession`.
    ///
    /// - Parameter wasSent: Whether bytes of the request left this device. The server may then have carried it out.
    init(_ error: any Error, wasSent: Bool) {
        guard let error = error as? URLError else {
            self.init(.closed, "The system reports an error: \((error as NSError).domain) \((error as NSError).code).")
            return
        }
        let code: Code =
            switch error.code {
            case .cancelled: .cancelled
            case .timedOut: .timedOut
            case .badURL, .unsupportedURL, .appTransportSecurityRequiresSecureConnection: .unusableRequest
            case .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost: .unreachable
            case .notConnectedToInternet, .internationalRoamingOff, .callIsActive, .dataNotAllowed:
                wasSent ? .closed : .unreachable
            case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
                .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
                .clientCertificateRequired:
                .tls
            case .dataLengthExceedsMaximum: .tooLarge
            case .badServerResponse, .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData: .malformed
            default: .closed
            }
        self.init(code, "The request failed with \(error.code.rawValue): \(error.localizedDescription)")
    }
}
