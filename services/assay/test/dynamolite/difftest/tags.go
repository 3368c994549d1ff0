package main

// tags draws a request for the tags of a table.
func (g *generator) tags(t tableSpec) request {
	body := object{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/" + pick(g, t.name, t.name, t.name, t.name, "no-such-table")}
	keys := []string{"env", "team", "Env", "a:b/c"}
	switch g.rng.IntN(3) {
	case 0:
		body["TagKeys"] = list{pick(g, keys...), pick(g, keys...)}
		return request{"UntagResource", body}
	case 1:
		tags := list{}
		for _, key := range keys[:1+g.rng.IntN(len(keys))] {
			tags = append(tags, object{"Key": key, "Value": pick(g, "", "one", "two")})
		}
		body["Tags"] = tags
		return request{"TagResource", body}
	}
	return request{"ListTagsOfResource", body}
}
