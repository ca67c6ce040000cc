#if os(Linux) || os(macOS)
    package import struct Foundation.Data

    extension NginxServer {
        /// Facts that nginx reports about an exchange: the response to `/about`.
        package struct About: Sendable, Hashable {
            private let values: [String: String]

            /// Parses a response body.
            package init(_ body: Data) {
                let lines = String(decoding: body, as: UTF8.self).split(separator: "\n")
                self.values = lines.reduce(into: [:]) { values, line in
                    let pair = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    values[String(pair[0])] = pair.count > 1 ? String(pair[1]) : ""
                }
            }

            /// The number of its connection.
            package var connection: String? { self.values["connection"] }
            /// The version of HTTP, such as `HTTP/2.0`.
            package var httpVersion: String? { self.values["http"] }
            /// The version of TLS, such as `TLSv1.3`; empty without TLS.
            package var tlsVersion: String? { self.values["tls"] }
            /// The server name that the client sent during the handshake; empty if it sent none.
            package var serverName: String? { self.values["sni"] }
            /// The subject of the client's certificate, such as `CN=client`; empty without one.
            package var clientName: String? { self.values["client"] }
            /// The address of the client; `unix:` for a socket in the file system.
            package var clientAddress: String? { self.values["address"] }
        }
    }
#endif
