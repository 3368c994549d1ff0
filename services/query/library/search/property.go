package search

import "github.com/assay-project/assay/pkg/table"

// Property is a part of the metadata of a file whose words count as much as those of its name.
type Property struct {
	Field string `json:"f"` // the entry of the metadata, such as title
	Value string `json:"v"`
}

// propertiesOf returns the properties in the metadata of a file. A list has a property for each of its texts.
func propertiesOf(metadata table.Document) []Property {
	var all []Property
	for _, field := range []string{"title", "author", "byline", "subject", "keywords", "attachmentNames"} {
		switch value := metadata[field].(type) {
		case string:
			all = append(all, Property{field, value})
		case []any:
			for _, one := range value {
				if text, is := one.(string); is {
					all = append(all, Property{field, text})
				}
			}
		}
	}
	return all
}
