extension Results: StoreCollection {
    func requireReadable() throws(RealmError) { try context.requireReadable() }
}

extension FrozenResults: StoreCollection {
    func requireReadable() throws(RealmError) { try context.requireReadable() }
}
