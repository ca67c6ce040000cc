#if os(Linux) || os(macOS)
    internal import Foundation

    /// The configuration of an ``NginxServer``.
    struct NginxConfiguration {
        let options: NginxServer.Options
        let folder: URL
        let port: UInt16

        var text: String {
            """
            daemon off;
            \(self.processes)
            pid nginx.pid;
            lock_file nginx.lock;
            error_log stderr notice;
            events { worker_connections 4096; }
            http {
                access_log off;
                default_type application/octet-stream;
                sendfile on;
                tcp_nodelay on;
                keepalive_requests 1000000000;
                keepalive_timeout 1h;
                client_max_body_size 0;
                client_body_temp_path bodies;
                proxy_temp_path proxy;
                fastcgi_temp_path fastcgi;
                uwsgi_temp_path uwsgi;
                scgi_temp_path scgi;
                \(self.options.rules)
                server {
                    listen 127.0.0.1:\(self.port) reuseport\(self.protocols);
                    listen unix:\(self.folder.path)/http.sock;
                    \(self.security)
                    root .;
                    add_header X-Connection $connection;
                    location = /small { return 200 "\(Self.kibibyte)"; }
                    location = /about {
                        return 200 "connection=$connection\\nhttp=$server_protocol\\naddress=$remote_addr\\n\(Self.secrets)";
                    }
                    # Answered without the body being read.
                    location = /refusing { return 413 "too much"; }
                    location /files/ {}
                    \(self.options.locations)
                    location /uploads/ {
                        dav_methods PUT;
                        create_full_put_path on;
                    }
                    location = /sink {
                        # The body is read as a whole before the other server is asked, which does not get it.
                        proxy_pass http://unix:\(self.folder.path)/sink.sock;
                        proxy_pass_request_body off;
                        proxy_set_header Content-Length "";
                    }
                }
                server {
                    listen unix:\(self.folder.path)/sink.sock;
                    location / { return 204; }
                }
            }

            """
        }

        /// A single process, or several workers and a master, all as this user.
        private var processes: String {
            if self.options.workers == 1 { return "master_process off;" }
            return "worker_processes \(self.options.workers);" + (geteuid() == 0 ? " user root;" : "")
        }

        private var protocols: String {
            (self.options.identity == nil ? "" : " ssl") + (self.options.isHTTP2 ? " http2" : "")
        }

        private var security: String {
            guard let identity = self.options.identity else { return "" }
            let client = self.options.clientAuthority.map { "ssl_verify_client on; ssl_client_certificate \($0.path);" }
            return """
                ssl_certificate \(identity.certificate.path);
                ssl_certificate_key \(identity.key.path);
                ssl_protocols \(self.options.tlsVersions);
                \(client ?? "")
                """
        }

        private static let secrets = "tls=$ssl_protocol\\nsni=$ssl_server_name\\nclient=$ssl_client_s_dn\\n"
        private static let kibibyte = String(repeating: "0123456789abcdef", count: 64)
    }
#endif
