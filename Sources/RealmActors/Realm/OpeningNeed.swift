/// What opening must write before the realm can be used. Without disk space for it the realm cannot
/// be opened, and so cannot be compacted either.
enum OpeningNeed {
    /// The schema of the models.
    case schema
    /// The entries of the shared log that this host lacks.
    case sharedLog

    /// The error of an opening for which the disk has no space.
    func error(at path: String?) -> RealmError {
        let reason =
            switch self {
            case .schema:
                "its schema has to be migrated to that of the models first. Free space and open it "
                    + "again. Or make it smaller before: open it with its previous models or with "
                    + "usesStoredSchema, delete objects, and call compact()."
            case .sharedLog:
                "its folder has to catch up with the shared log first. Free space and open it "
                    + "again, which continues from the last entry that the folder has."
            }
        return .noSpaceToOpen(path: path ?? "", reason: reason)
    }
}
