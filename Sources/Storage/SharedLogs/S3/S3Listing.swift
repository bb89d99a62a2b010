#if S3
    import Foundation

    /// One page of the objects of a bucket, in the order of their names.
    struct S3Listing: Sendable {
        struct Object: Sendable, Hashable {
            let key: String
            let size: Int
        }

        let objects: [Object]
        /// Whether there are more.
        let isTruncated: Bool

        /// What a bucket has answered; nil for something else. Names that a log gives its objects
        /// need no decoding.
        init?(_ body: [UInt8]) {
            let text = String(decoding: body, as: UTF8.self)
            // One that was cut off would say that there is no more.
            guard text.contains("<ListBucketResult"), text.contains("</ListBucketResult>")
            else { return nil }
            var pieces = text.components(separatedBy: "<Contents>")
            let head = pieces.removeFirst()
            var objects: [Object] = []
            for piece in pieces {
                guard let key = Self.text(of: "Key", in: piece),
                    let size = Self.text(of: "Size", in: piece).flatMap({ Int($0) })
                else { return nil }
                objects.append(Object(key: key, size: size))
            }
            self.objects = objects
            // It may stand before the objects or behind them.
            let outside = head + (pieces.last?.components(separatedBy: "</Contents>").last ?? "")
            isTruncated = Self.text(of: "IsTruncated", in: outside)?.lowercased() == "true"
        }

        /// What the first element of a name has.
        static func text(of element: String, in text: String) -> String? {
            guard let begin = text.range(of: "<\(element)>"),
                let end = text.range(of: "</\(element)>", range: begin.upperBound..<text.endIndex)
            else { return nil }
            return String(text[begin.upperBound..<end.lowerBound])
        }
    }
#endif
