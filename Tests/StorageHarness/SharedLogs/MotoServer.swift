package import Foundation
import Storage

/// An object storage of a test's own: `moto`, which does what S3 does in the memory of one process.
package final class MotoServer: Sendable {
    /// A Python that has `moto` and what its server needs; nil when there is none on this machine.
    package static let python: String? = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init)
        return folders.map { $0 + "/python3" }.first { python in
            FileManager.default.isExecutableFile(atPath: python)
                && (try? Program.run([python, "-c", "import moto.server"])) != nil
        }
    }()

    package static let isInstalled = python != nil

    /// Makes a bucket, and a user who may do everything with it. Its own check of a condition and
    /// the writing behind it are two steps, which S3 does as one: so one request at a time.
    private static let program = """
        import json, os, sys, threading
        os.environ["AWS_DEFAULT_REGION"] = "us-east-1"
        from urllib.parse import parse_qsl, quote, urlencode
        from werkzeug.serving import make_server
        from moto import settings
        from moto.server import DomainDispatcherApplication, create_backend_app
        from moto.iam.access_control import IAMRequestBase
        from moto.iam.models import iam_backends
        from moto.s3.models import s3_backends
        account = "123456789012"
        s3_backends[account]["aws"].create_bucket("bucket", "us-east-1")
        users = iam_backends[account]["aws"]
        users.create_user("us-east-1", "app")
        key = users.create_access_key("app")
        allow = {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}
        policy = {"Version": "2012-10-17", "Statement": [allow]}
        users.put_user_policy("app", "all", json.dumps(policy))
        if "--signed" in sys.argv: settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
        # It has decoded the query of which it checks the signature.
        checked = IAMRequestBase._create_aws_request
        def encode(request):
            path, mark, query = request._path.partition("?")
            pairs = parse_qsl(query, keep_blank_values=True)
            request._path = path + mark + urlencode(pairs, quote_via=quote, safe="")
            return checked(request)
        IAMRequestBase._create_aws_request = encode
        lock = threading.Lock()
        app = DomainDispatcherApplication(create_backend_app)
        def serve(environment, start):
            with lock: return list(app(environment, start))
        server = make_server("127.0.0.1", 0, serve, threaded=True)
        print(server.port, key.access_key_id, key.secret_access_key, flush=True)
        server.serve_forever()
        """

    /// Gives `body` a server that runs, and stops it.
    ///
    /// - Parameter checksSignatures: whether requests of others than the user are refused.
    package static func run<R>(
        checksSignatures: Bool = false, _ body: (MotoServer) throws -> R
    ) throws -> R {
        let server = try MotoServer(checksSignatures)
        defer { server.stop() }
        return try body(server)
    }

    /// As ``run(checksSignatures:_:)``, for a body that awaits.
    package static func run<R: Sendable>(
        checksSignatures: Bool = false, _ body: (MotoServer) async throws -> R
    ) async throws -> R {
        let server = try MotoServer(checksSignatures)
        defer { server.stop() }
        return try await body(server)
    }

    package let endpoint: URL
    package let bucket = "bucket"
    package let region = "us-east-1"
    /// The user's keys.
    package let accessKey: String
    package let secretKey: String
    private let process: Int32

    private init(_ checksSignatures: Bool) throws {
        guard let python = Self.python else {
            throw Program.Failure(description: "moto is not installed.")
        }
        let output = "/tmp/moto" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let command = [python, "-c", Self.program] + (checksSignatures ? ["--signed"] : [])
        process = try Program.start(command, output: output, errors: output + ".log")
        defer { for path in [output, output + ".log"] { unlink(path) } }
        var words: [String] = []
        while words.count < 3 {
            Platform.pause(for: .milliseconds(20))
            let text = try String(contentsOfFile: output, encoding: .utf8)
            if text.hasSuffix("\n") {
                words = text.split(whereSeparator: \.isWhitespace).map(String.init)
            }
            if words.count < 3, let status = try Program.status(of: process) {
                let errors = try String(contentsOfFile: output + ".log", encoding: .utf8)
                throw Program.Failure(description: "moto has ended with \(status): \(errors)")
            }
        }
        guard let url = URL(string: "http://127.0.0.1:\(words[0])") else {
            throw Program.Failure(description: "moto has no port.")
        }
        endpoint = url
        (accessKey, secretKey) = (words[1], words[2])
    }

    /// Ends it, and everything that it has.
    package func stop() {
        guard (try? Program.status(of: process)) == .some(nil) else { return }
        kill(process, SIGKILL)
        _ = try? Program.wait(for: process)
    }

    /// Has it answer nobody until ``thaw()``.
    package func freeze() { kill(process, SIGSTOP) }

    package func thaw() { kill(process, SIGCONT) }
}
