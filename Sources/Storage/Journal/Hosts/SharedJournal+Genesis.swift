extension SharedJournal {
    /// Takes the first slot of an empty log, unless another host is first.
    func begin(_ name: Bits128) throws(StorageError) {
        let cipher = try realm.cipher(name)
        let entry = SharedEntry(
            kind: .genesis, realm: name, slot: .first, epoch: 0, host: host, firstVersion: 0,
            lastVersion: 0, previousHash: .none)
        let bytes = entry.encoded(cipher)
        _ = try retrying { () throws(SharedLogError) in
            try realm.log.append(bytes, at: .first, behind: nil)
        }
    }
}
