#if S3
    /// Carries requests to a bucket.
    protocol S3Transport: AnyObject, Sendable {
        /// Sends a request, and calls `done` once, on any thread and perhaps at once. It must not
        /// block.
        func start(
            _ request: S3Request,
            _ done: @escaping @Sendable (Result<S3Response, S3Failure>) -> Void
        ) -> any S3Call
    }

    /// A request that was sent.
    protocol S3Call: Sendable {
        /// Cancels the call; the request may be executed nevertheless.
        func cancel()
    }
#endif
