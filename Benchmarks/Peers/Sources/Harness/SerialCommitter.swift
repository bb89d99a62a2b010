/// One connection that tasks share by way of an actor: for databases whose commits run one after
/// another anyway, the cheapest way to take turns.
actor SerialCommitter<P: Peer>: PeerCommitter {
    private let peer: P

    init(path: String, durability: PeerDurability) throws {
        peer = try P(path: path, durability: durability)
    }

    func insertString(_ number: Int) throws { try peer.insertString(number) }
    func insertPerson(_ number: Int) throws { try peer.insertPerson(number) }
    func objectCount() throws -> Int { try peer.objectCount() }
    func close() throws { try peer.close() }
}
