#if ServiceLifecycle
    import Foundation
    import RealmActors
    import ServiceLifecycle
    import ServiceLifecycleTestKit
    import Testing

    @Suite struct RealmServiceTests {
        @Test func aRealmOpensWithItsGroupAndClosesWithIt() async throws {
            try await withStorePath { path in
                let configuration = Realm.Configuration(
                    path: path, objectTypes: [ServiceItem.self], writeTimeout: nil)
                let service = RealmService(configuration)
                let realm = try await testGracefulShutdown { trigger in
                    async let running: Void = service.run()
                    let realm = try await service.realm
                    try await realm.write { tx in
                        try tx.create(ServiceItem.self, value: ["id": 1])
                    }
                    trigger.triggerGracefulShutdown()
                    try await running
                    return realm
                }
                await #expect(throws: RealmError.closed) {
                    try await realm.write { tx in
                        try tx.create(ServiceItem.self, value: ["id": 2])
                    }
                }
                let again = try await Realm.open(configuration)
                #expect(again.objects(ServiceItem.self).count == 1)
                try await again.close()
            }
        }

        @Test func aCancelledServiceClosesItsRealmToo() async throws {
            try await withStorePath { path in
                let service = RealmService(
                    .init(path: path, objectTypes: [ServiceItem.self], writeTimeout: nil))
                let realm = try await service.realm
                let running = Task { try await service.run() }
                running.cancel()
                try await running.value
                await #expect(throws: RealmError.closed) {
                    try await realm.write { tx in try tx.deleteAll() }
                }
            }
        }

        /// The first failure was the answer for as long as the process ran.
        @Test func aRealmThatCouldNotBeOpenedIsOpenedWhenItCan() async throws {
            try await withStorePath { path in
                let service = RealmService(
                    .init(
                        path: path + "/realm", objectTypes: [ServiceItem.self], writeTimeout: nil))
                await #expect(throws: RealmError.self) { try await service.realm }
                try FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: true)
                let realm = try await service.realm
                try await realm.write { tx in
                    try tx.create(ServiceItem.self, value: ["id": 1])
                }
                try await realm.close()
            }
        }

        @Test func aRealmThatCannotBeOpenedEndsItsGroup() async throws {
            let service = RealmService(
                .init(path: "/proc/nowhere/realm", objectTypes: [ServiceItem.self]))
            await #expect(throws: RealmError.self) { try await service.run() }
        }
    }
#endif
