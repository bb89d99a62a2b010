#if S3
    import Foundation

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// Signs requests and sends them to a bucket by HTTP.
    final class S3Client: S3Transport {
        private struct Call: S3Call {
            let task: URLSessionTask

            func cancel() { task.cancel() }
        }

        /// A call that was never made.
        private struct NoCall: S3Call {
            func cancel() {}
        }

        private let endpoint: URLComponents
        private let host: String
        private let bucket: String
        private let region: String
        private let credentials: S3Credentials
        /// The maximum time without a response of the server.
        private let timeout: Duration

        init(
            endpoint: URL, bucket: String, region: String, credentials: S3Credentials,
            timeout: Duration
        ) throws(SharedLogError) {
            guard let parts = URLComponents(url: endpoint, resolvingAgainstBaseURL: true),
                parts.scheme == "https" || parts.scheme == "http",
                let host = parts.percentEncodedHost,
                !host.isEmpty, parts.user == nil, parts.password == nil, parts.query == nil,
                parts.fragment == nil
            else { throw .refused("The endpoint must be an address of the form https://host.") }
            guard !bucket.isEmpty, !region.isEmpty,
                !(bucket + region).contains(where: \.isWhitespace)
            else {
                throw .refused(
                    "The names of the bucket and the region must not be empty, nor have spaces.")
            }
            self.endpoint = parts
            // As in the header, without the default port.
            let usualPort = parts.scheme == "https" ? 443 : 80
            let port = parts.port.flatMap { $0 == usualPort ? nil : ":\($0)" } ?? ""
            self.host = host.lowercased() + port
            self.bucket = bucket
            self.region = region
            self.credentials = credentials
            self.timeout = timeout
        }

        func start(
            _ request: S3Request,
            _ done: @escaping @Sendable (Result<S3Response, S3Failure>) -> Void
        ) -> any S3Call {
            do throws(SharedLogError) {
                let task = S3Session.task(try signed(request), of: request, timeout, done)
                task.resume()
                return Call(task: task)
            } catch {
                done(.failure(.notSent(error)))
                return NoCall()
            }
        }

        private func signed(_ request: S3Request) throws(SharedLogError) -> URLRequest {
            var address = endpoint
            var path = address.percentEncodedPath
            if path.hasSuffix("/") { path.removeLast() }
            path += "/" + S3Request.encoded(bucket)
            if !request.key.isEmpty { path += "/" + S3Request.encoded(request.key, keeping: "/") }
            address.percentEncodedPath = path
            if !request.parameters.isEmpty { address.percentEncodedQuery = request.query }
            guard let url = address.url else {
                throw .refused("The bucket and the endpoint do not form a valid address.")
            }
            let signature = S3Signature(
                host: host, region: region, keys: try credentials.keys(), date: Date())
            var result = URLRequest(
                url: url, cachePolicy: .reloadIgnoringLocalCacheData,
                timeoutInterval: timeout / .seconds(1))
            result.httpMethod = request.method.rawValue
            for (name, value) in signature.headers(of: request, path: path) where name != "host" {
                result.setValue(value, forHTTPHeaderField: name)
            }
            if request.method == .put {
                result.setValue("application/octet-stream", forHTTPHeaderField: "content-type")
                result.httpBody = Data(request.body)
            }
            return result
        }
    }
#endif
