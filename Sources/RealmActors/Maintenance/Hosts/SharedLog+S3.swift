public import Foundation
import Storage

extension Realm.SharedLog {
    /// A log in the objects of a bucket, on S3 or a compatible storage. Needs the package trait
    /// `S3`.
    ///
    ///     configuration.sharedLog = .s3(
    ///         endpoint: endpoint, bucket: "app", region: "eu-central-1", realm: "orders")
    ///
    /// A write takes two consecutive requests, or three after a minute without one, and other hosts
    /// see it when they poll next.
    ///
    /// - Parameters:
    ///   - endpoint: the address of the storage, without the bucket:
    ///     `https://s3.eu-central-1.amazonaws.com`.
    ///   - bucket: an existing bucket.
    ///   - region: the region that requests are signed for; `us-east-1` for most storages without
    ///     regions.
    ///   - realm: the name of the realm in the bucket, a prefix of the names of all its objects.
    ///   - credentials: of a user who may read, write, list and delete objects in the bucket.
    ///   - polling: how often a host polls the bucket while there are new entries, and while there
    ///     are none.
    public static func s3(
        endpoint: URL, bucket: String, region: String, realm: String,
        credentials: S3Credentials = .environment,
        polling: ClosedRange<Duration> = .milliseconds(50)...(.seconds(1))
    ) -> Realm.SharedLog {
        #if S3
            let keys = Storage.S3Credentials {
                let keys = try credentials.keys()
                return Storage.S3Credentials.Keys(
                    id: keys.id, secret: keys.secret, sessionToken: keys.sessionToken)
            }
            return Realm.SharedLog(named: realm) { (access: Access) in
                do {
                    return try S3SharedLog(
                        endpoint: endpoint, bucket: bucket, region: region, realm: realm,
                        credentials: keys, polling: polling, makesLog: access == .hosting)
                } catch let error as SharedLogError {
                    throw StorageError(error)
                }
            }
        #else
            return Realm.SharedLog(named: realm) { (_: Access) in
                throw RealmError.sharedLogNotEnabled(trait: "S3")
            }
        #endif
    }
}
