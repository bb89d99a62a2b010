#if PostgreSQL
    import Foundation
    import StorageHarness

    @testable import Storage

    /// A server that speaks as much of PostgreSQL's protocol as a test needs, and sends one large
    /// TLS record, as some proxies do. PostgreSQL itself rarely does.
    final class TLSRecordServer {
        /// Whether this machine has Python with its TLS module, and `openssl`, which creates the
        /// certificate.
        static let isPossible =
            (try? Program.run(["/usr/bin/env", "python3", "-c", "import ssl"])) != nil
            && (try? Program.run(["/usr/bin/env", "openssl", "version"])) != nil

        /// Answers a query with rows whose last bytes do not fit into the buffer of libpq together
        /// with the record that they are in: a part of a row precedes it.
        private static let program = """
            import socket, ssl, struct, sys
            def message(kind, body): return kind + struct.pack("!I", len(body) + 4) + body
            def take(count):
                data = b""
                while len(data) < count:
                    part = connection.recv(count - len(data))
                    if not part: sys.exit()
                    data += part
                return data
            def skip(): take(struct.unpack("!I", take(4))[0] - 4)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[1] + "/certificate", sys.argv[1] + "/key")
            listener = socket.socket()
            listener.bind(("127.0.0.1", 0))
            listener.listen(1)
            print(listener.getsockname()[1], flush=True)
            connection = listener.accept()[0]
            skip()
            connection.sendall(b"S")
            connection = context.wrap_socket(connection, server_side=True)
            skip()
            names = [b"server_version\\0" + b"15.0\\0", b"client_encoding\\0UTF8\\0",
                b"in_hot_standby\\0off\\0", b"default_transaction_read_only\\0off\\0"]
            ready = message(b"Z", b"I")
            connection.sendall(message(b"R", struct.pack("!I", 0))
                + b"".join(message(b"S", name) for name in names) + ready)
            take(1)
            skip()
            column = b"a\\0" + struct.pack("!IHIhih", 0, 0, 25, -1, -1, 0)
            row = message(b"D", struct.pack("!HI", 1, 900) + b"x" * 900)
            data = message(b"T", struct.pack("!H", 1) + column) + row * 18
            data += message(b"C", b"SELECT 18\\0") + ready
            connection.sendall(data[:-16384])
            connection.sendall(data[-16384:])
            take(1)
            """

        private let process: Int32
        private let port: String

        /// - Parameter folder: an empty one.
        init(in folder: String) throws {
            try Program.run([
                "/usr/bin/env", "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
                "-keyout", folder + "/key", "-out", folder + "/certificate", "-subj",
                "/CN=localhost",
            ])
            let output = folder + "/port"
            process = try Program.start(
                ["/usr/bin/env", "python3", "-c", Self.program, folder], output: output,
                errors: folder + "/errors")
            var text = ""
            while !text.hasSuffix("\n") {
                Platform.pause(for: .milliseconds(10))
                text = try String(contentsOfFile: output, encoding: .utf8)
                if let status = try Program.status(of: process) {
                    throw Program.Failure(description: "The server has ended with \(status).")
                }
            }
            port = text.trimmingCharacters(in: .newlines)
        }

        /// How libpq reaches it.
        var address: String {
            "host=127.0.0.1 port=\(port) user=app dbname=app password=none sslmode=require "
                + "gssencmode=disable"
        }

        func stop() {
            kill(process, SIGKILL)
            _ = try? Program.wait(for: process)
        }
    }
#endif
