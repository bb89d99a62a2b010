extension RealmLeafDecoder {
    /// Strings in the form of the leaf; data has only the two longer forms.
    func texts(
        _ ref: UInt64, _ header: RealmNodeHeader, ofStrings: Bool
    ) throws(RealmFileError) -> RealmFileTexts {
        let form: RealmFileTexts.Form
        if header.hasRefs, header.isPacked {
            // Previews of Realm 10.8 lost the flag of sets that were cleared. The medium form has
            // its three nodes even if it is empty.
            form =
                header.context || header.count == 0
                ? .big(try reader.node(ref, header)) : try medium(ref, header)
        } else if !header.hasRefs, ofStrings && header.widthType == .bytes || header.count == 0 {
            // A leaf that never had a value may have no form yet.
            form = .short(try reader.node(ref, header))
        } else if ofStrings, !header.hasRefs, header.isPacked, case .cluster = place,
            let enumeration = source.enumeration
        {
            form = .enumerated(try reader.node(ref, header), enumeration)
        } else {
            throw reader.damaged(Int(ref), "a leaf of strings or data has none of their forms")
        }
        return RealmFileTexts(
            form, hasFinalZero: ofStrings, isNullable: type.isNullable, reader)
    }

    private func medium(
        _ ref: UInt64, _ header: RealmNodeHeader
    ) throws(RealmFileError) -> RealmFileTexts.Form {
        let parts = try parts(ref, header, count: 3, "strings or data")
        let ends = try reader.integers(
            try reader.ref(parts, 0, "the ends of strings"), "the ends of strings")
        let nulls = try reader.integers(
            try reader.ref(parts, 2, "the nulls of strings"), count: ends.count,
            "the nulls of strings")
        let blob = try reader.blob(
            try reader.ref(parts, 1, "the bytes of strings"), "the bytes of strings")
        return .medium(ends: ends, blob: blob, nulls: nulls)
    }
}
