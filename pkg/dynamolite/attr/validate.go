package attr

// MaxDepth is the maximum number of nested levels of a value, including the value
// itself.
const MaxDepth = 32

const msgDepth = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"

// Validate returns a *ValidationError for the first value of the item, by name, that
// DynamoDB would reject, or nil if there is none. It is separate from decoding
// because DynamoDB checks other request parameters between the two steps.
func (it Item) Validate() error { return it.validate(1) }

func (it Item) validate(depth int) error {
	for i := range it {
		if err := it[i].Value.validate(depth); err != nil {
			return err
		}
	}
	return nil
}

// Validate returns a *ValidationError if decoding marked v, or a value in it,
// as Invalid, or if v is nested too deeply.
func (v Value) Validate() error { return v.validate(1) }

func (v Value) validate(depth int) error {
	if depth > MaxDepth {
		return &ValidationError{msgDepth}
	}
	switch v.Kind {
	case Invalid:
		return &ValidationError{v.Str}
	case M:
		return v.Map.validate(depth + 1)
	case L:
		for _, elem := range v.List {
			if err := elem.validate(depth + 1); err != nil {
				return err
			}
		}
	}
	return nil
}
