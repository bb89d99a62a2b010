#if S3
    import Foundation
    import StorageHarness
    import Testing

    @testable import Storage

    private let appends = UInt64(ProcessInfo.processInfo.environment["APPENDS"] ?? "") ?? 0

    /// The rate of bare appends, for `APPENDS=n swift test --filter S3AppendRate`.
    @Suite(.enabled(if: appends > 0 && MotoServer.isInstalled), .serialized) struct S3AppendRate {

        @Test(arguments: [100, 1000, 4096, 100_000])
        func oneAtATime(size: Int) throws {
            try MotoServer.run { server in
                let keys = S3Credentials.Keys(id: server.accessKey, secret: server.secretKey)
                let log = try S3SharedLog(
                    endpoint: server.endpoint, bucket: server.bucket, region: server.region,
                    realm: "realm", credentials: S3Credentials(keys))
                let entry = [UInt8](repeating: 7, count: size)
                let begin = ContinuousClock.now
                var done: UInt64 = 0
                for slot in 1...appends where try log.append(entry, at: LogSlot(slot)) { done += 1 }
                let time = ContinuousClock.now - begin
                #expect(done == appends)
                print("\(size) bytes: \(time / Int(appends)) per append")
            }
        }
    }
#endif
