package main

// attribute is a key attribute with its type.
type attribute struct{ name, kind string }

// tableSpec is a table of the test. The tables cover every kind of partition and
// sort key, every index projection and every stream view.
type tableSpec struct {
	name    string
	keys    []attribute // partition key, then sort key
	indexes []indexSpec
	view    string // StreamViewType
}

type indexSpec struct {
	name       string
	keys       []attribute
	projection object
}

func tables() []tableSpec {
	all := object{"ProjectionType": "ALL"}
	return []tableSpec{
		{
			name: "by-text", keys: []attribute{{"pk", "S"}}, view: "NEW_AND_OLD_IMAGES",
			indexes: []indexSpec{{"g-index", []attribute{{"g", "S"}}, all}},
		},
		{
			name: "by-text-and-number", keys: []attribute{{"pk", "S"}, {"sk", "N"}}, view: "NEW_AND_OLD_IMAGES",
			indexes: []indexSpec{
				{"g-h-index", []attribute{{"g", "S"}, {"h", "N"}}, all},
				{"h-index", []attribute{{"h", "N"}}, object{"ProjectionType": "KEYS_ONLY"}},
			},
		},
		{
			name: "by-number-and-bytes", keys: []attribute{{"pk", "N"}, {"sk", "B"}}, view: "NEW_IMAGE",
			indexes: []indexSpec{
				{"g-sk-index", []attribute{{"g", "S"}, {"sk", "B"}}, object{"ProjectionType": "INCLUDE", "NonKeyAttributes": list{"a", "c"}}},
			},
		},
		{
			name: "by-bytes-and-text", keys: []attribute{{"pk", "B"}, {"sk", "S"}}, view: "KEYS_ONLY",
			indexes: []indexSpec{{"sk-g-index", []attribute{{"sk", "S"}, {"g", "S"}}, all}},
		},
		{name: "by-number", keys: []attribute{{"pk", "N"}}, view: "OLD_IMAGE"},
	}
}

// create returns the CreateTable request.
func (t tableSpec) create() request {
	kinds := map[string]string{}
	schema := func(keys []attribute) list {
		elems := list{}
		for i, k := range keys {
			kinds[k.name] = k.kind
			elems = append(elems, object{"AttributeName": k.name, "KeyType": []string{"HASH", "RANGE"}[i]})
		}
		return elems
	}
	body := object{
		"TableName": t.name, "BillingMode": "PAY_PER_REQUEST", "KeySchema": schema(t.keys),
		"StreamSpecification": object{"StreamEnabled": true, "StreamViewType": t.view},
	}
	indexes := list{}
	for _, x := range t.indexes {
		indexes = append(indexes, object{"IndexName": x.name, "KeySchema": schema(x.keys), "Projection": x.projection})
	}
	if len(indexes) > 0 {
		body["GlobalSecondaryIndexes"] = indexes
	}
	definitions := list{}
	for _, name := range []string{"pk", "sk", "g", "h"} {
		if kind, ok := kinds[name]; ok {
			definitions = append(definitions, object{"AttributeName": name, "AttributeType": kind})
		}
	}
	body["AttributeDefinitions"] = definitions
	return request{"CreateTable", body}
}

// keyOf returns the table's key attributes of an item.
func (t tableSpec) keyOf(item object) object {
	key := object{}
	for _, k := range t.keys {
		if v, ok := item[k.name]; ok {
			key[k.name] = v
		}
	}
	return key
}
