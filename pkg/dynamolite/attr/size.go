package attr

// Size returns the item's size in bytes according to the DynamoDB Developer Guide
// ("DynamoDB item sizes and formats"): the UTF-8 length of every name plus the size
// of its value. The limit for a stored item is 400 KB.
func Size(it Item) int {
	size := 0
	for i := range it {
		size += len(it[i].Name) + it[i].Value.Size()
	}
	return size
}

// Size returns the value's size in bytes. A list or map counts as 3 bytes, plus one for
// each element; a number counts as one byte, plus one for every two digits.
func (v Value) Size() int {
	switch v.Kind {
	case S, B:
		return len(v.Str)
	case N:
		return v.Num.size()
	case M:
		return 3 + len(v.Map) + Size(v.Map)
	case L:
		size := 3 + len(v.List)
		for _, elem := range v.List {
			size += elem.Size()
		}
		return size
	case SS, NS, BS:
		size := 0
		for _, member := range v.List {
			size += member.Size()
		}
		return size
	default:
		return 1
	}
}

// size counts digits before and after the decimal point separately, because
// DynamoDB stores pairs aligned to the point, and adds a byte for a negative
// number (measured against AWS by the dynoxide project, src/types.rs
// number_size).
func (n Number) size() int {
	if n.IsZero() {
		return 1
	}
	digits := n.digits()
	whole := min(max(digits+int(n.exp), 0), digits)
	size := 1 + (whole+1)/2 + (digits-whole+1)/2
	if n.neg {
		size++
	}
	return size
}
