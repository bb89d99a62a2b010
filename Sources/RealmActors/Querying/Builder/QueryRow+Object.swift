extension QueryRow {
    init(_ object: ObjectBase) {
        self.init(
            storeID: object.__context?.models.storeID, classID: object.__model?.classID,
            key: object.__key, capture: object._lastCapture)
    }
}
