package search

// Property is a property of an item whose words count as much as those of its name.
type Property struct {
	Field string `json:"f"` // its name, such as title
	Value string `json:"v"`
}
