#if S3
    import Foundation
    import StorageHarness
    import Testing

    @testable import Storage

    /// Requests on connections that end, or that get answers of something other than S3.
    @Suite(.enabled(if: MotoServer.isInstalled, "There is no Python on this machine."), .serialized)
    struct S3ClientTests {
        /// Answers each request with the next of its arguments. For `end` it receives a request,
        /// and cannot be reached any more; for `silence` it never answers, and for `pause` it sends
        /// the beginning of an answer.
        private static let program = """
            import socket, sys, time
            server = socket.create_server(("127.0.0.1", 0))
            print(server.getsockname()[1], flush=True)
            connection = server.accept()[0]
            received = b""
            def read():
                global received
                while b"\\r\\n\\r\\n" not in received: received += connection.recv(65536)
                head, received = received.split(b"\\r\\n\\r\\n", 1)
                size = 0
                for line in head.lower().split(b"\\r\\n"):
                    if line.startswith(b"content-length:"): size = int(line.split(b":")[1])
                while len(received) < size: received += connection.recv(65536)
                received = received[size:]
            for answer in sys.argv[1:]:
                read()
                if answer == "pause":
                    connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 9\\r\\n\\r\\n1")
                if answer in ("silence", "pause"): time.sleep(600)
                if answer == "end":
                    server.close()
                    connection.close()
                    break
                lines = ["HTTP/1.1 " + answer, "Content-Length: 0", "", ""]
                connection.sendall("\\r\\n".join(lines).encode())
            """

        /// Never answers a GET request, and others without a body.
        private static let silentForReads = """
            import http.server, time
            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"
                def do_GET(self): time.sleep(600)
                def do_DELETE(self):
                    time.sleep(0.3)
                    self.send_response(204)
                    self.end_headers()
                def log_message(self, *arguments): pass
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            print(server.server_port, flush=True)
            server.serve_forever()
            """

        private static func withServer<R>(
            _ answers: [String], running program: String = Self.program,
            timeout: Duration = .seconds(20), _ body: (S3Bucket) throws -> R
        ) throws -> R {
            let python = try #require(MotoServer.python)
            let output = "/tmp/server" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
            let process = try Program.start([python, "-c", program] + answers, output: output)
            defer {
                kill(process, SIGKILL)
                _ = try? Program.wait(for: process)
                unlink(output)
            }
            var text = ""
            while !text.hasSuffix("\n") {
                Platform.pause(for: .milliseconds(20))
                text = try String(contentsOfFile: output, encoding: .utf8)
            }
            let address = "http://127.0.0.1:" + text.trimmingCharacters(in: .whitespacesAndNewlines)
            let client = try S3Client(
                endpoint: try #require(URL(string: address)), bucket: "b", region: "r",
                credentials: S3Credentials(S3Credentials.Keys(id: "id", secret: "secret")),
                timeout: timeout)
            return try body(
                S3Bucket(transport: client, end: S3End(), timeout: timeout))
        }

        private static func failure(_ call: () throws -> S3Response) -> S3Failure? {
            do {
                _ = try call()
                return nil
            } catch {
                return error as? S3Failure
            }
        }

        /// It is automatically repeated when the connection ends, and then the server cannot be
        /// reached.
        @Test func aRequestSentBeforeADisconnectMayHaveArrived() throws {
            try Self.withServer(["200 OK", "end"]) { bucket throws in
                #expect(try bucket.answer(to: S3Request(.get, "a")).status == 200)
                let failure = Self.failure {
                    try bucket.answer(to: S3Bucket.putting([1, 2, 3], "a"))
                }
                if case .noAnswer = failure { return }
                Issue.record("\(String(describing: failure))")
            }
        }

        @Test func unreachableServersGetNoRequest() throws {
            try Self.withServer(["end"]) { bucket in
                _ = Self.failure { try bucket.answer(to: S3Request(.get, "a")) }
                let failure = Self.failure {
                    try bucket.answer(to: S3Bucket.putting([1, 2, 3], "a"))
                }
                #expect(failure == .notSent(.unavailable("The storage cannot be reached")))
            }
        }

        /// No caller waits for polled requests, so they must time out. The time for a large answer
        /// counted as well: a read of the base after an append took 85 seconds.
        @Test(arguments: ["silence", "pause"], [0, 64 << 20])
        func aRequestToAServerThatIsSilentEnds(_ answer: String, answerBytes: Int) throws {
            try Self.withServer([answer], timeout: .seconds(1)) { bucket in
                let ended = ThreadSemaphore()
                var request = S3Request(.get, "a")
                request.answerBytes = answerBytes
                let call = bucket.transport.start(request) { outcome in
                    let reason = "The storage did not respond in time"
                    if case .failure(.noAnswer(reason)) = outcome { return ended.signal() }
                    Issue.record("\(outcome)")
                }
                #expect(ended.wait(upTo: .seconds(30)))
                call.cancel()
            }
        }

        #if canImport(FoundationNetworking)
            /// Only data counted: a read that waited for a connection failed while all of them were
            /// in use for requests whose answers have no body. Elsewhere, Foundation has a time
            /// limit of its own.
            @Test func aServerThatAnswersOtherRequestsIsNotSilent() throws {
                let timeout = Duration.seconds(3)
                try Self.withServer([], running: Self.silentForReads, timeout: timeout) {
                    bucket throws in
                    let ended = ThreadSemaphore()
                    var request = S3Request(.get, "a")
                    request.answerBytes = 64 << 20
                    let call = bucket.transport.start(request) { _ in ended.signal() }
                    defer { call.cancel() }
                    var (last, pause) = (Instant.now, Duration.zero)
                    for _ in 0..<20 {
                        let answer = try bucket.answer(to: S3Request(.delete, "b"))
                        #expect(answer.status == 204)
                        let now = Instant.now
                        pause = max(pause, now - last)
                        last = now
                    }
                    let hasEnded = ended.wait(upTo: .zero)
                    // If the machine stops for so long, the server was silent.
                    #expect(!hasEnded || pause > timeout / 2)
                }
            }
        #endif

        /// Foundation would follow the redirections, and wait for a password forever.
        @Test(arguments: [
            "307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/b/a",
            "301 Moved Permanently\r\nLocation: /b/other",
            "401 Unauthorized", "401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"",
        ])
        func anAnswerOfOthersThanS3IsAnAnswer(_ answer: String) throws {
            try Self.withServer([answer]) { bucket throws in
                let found = try bucket.answer(to: S3Bucket.putting([1, 2, 3], "a"))
                #expect(found.status == Int(answer.prefix(3)))
            }
        }
    }
#endif
