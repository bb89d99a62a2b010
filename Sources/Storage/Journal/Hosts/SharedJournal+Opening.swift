/// Operations of a host that does not take part in the rotation yet.
extension SharedJournal {
    /// Appends the genesis entry to an empty log, unless another host is first.
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

    /// Asks the other hosts to pass the writer lease to this one. The message may be lost.
    func requestLease() {
        try? realm.log.send(HostMessage.request(host, isLate: false).bytes)
    }
}

extension SharedJournal {
    /// The extent of reading.
    enum Reach {
        /// To the end of the log, as it is during the call.
        case end
        /// Up to the end of one response, or further if that was probably incomplete.
        case near
    }
}
