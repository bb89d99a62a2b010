import Foundation
import RealmActors
import Storage
import StorageHarness

extension SimulatedDisk {
    /// The configuration of a realm on this disk, at a path of its own.
    func configuration(
        _ types: [ObjectBase.Type], writeTimeout: Duration? = .seconds(30)
    ) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            path: "/simulated-\(UUID().uuidString).realm", objectTypes: types,
            writeTimeout: writeTimeout)
        configuration.fileSystem = self
        return configuration
    }
}
