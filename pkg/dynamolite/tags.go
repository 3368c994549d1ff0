package dynamolite

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of the tags of a table (DynamoDB Developer Guide, "Tagging restrictions in DynamoDB").
const (
	maxTags     = 50
	maxTagKey   = 128 // characters
	maxTagValue = 256 // characters
)

type tag struct{ Key, Value string }

type tagResourceInput struct {
	ResourceArn *string
	Tags        []tag
}

type untagResourceInput struct {
	ResourceArn *string
	TagKeys     []string
}

type listTagsInput struct{ ResourceArn *string }

var (
	tableARN = regexp.MustCompile(`^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:[0-9]{12}:table/[a-zA-Z0-9_.-]{3,255}$`)
	tagText  = regexp.MustCompile(`^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$`)
)

func checkTags(c *constraints, tags []tag) {
	for i, t := range tags {
		field := fmt.Sprintf("tags.%d.member.", i+1)
		checkTagKey(c, field+"key", t.Key)
		if utf8.RuneCountInString(t.Value) > maxTagValue {
			c.add("'"+t.Value+"'", field+"value", fmt.Sprintf("Member must have length less than or equal to %d", maxTagValue))
		}
	}
}

func checkTagKey(c *constraints, field, key string) {
	switch n := utf8.RuneCountInString(key); {
	case n == 0:
		c.add("''", field, "Member must have length greater than or equal to 1")
	case n > maxTagKey:
		c.add("'"+key+"'", field, fmt.Sprintf("Member must have length less than or equal to %d", maxTagKey))
	}
}

// tagProblem returns an error if a request may not set the tags.
func tagProblem(tags []tag) error {
	keys := map[string]bool{}
	for _, t := range tags {
		switch {
		case strings.HasPrefix(strings.ToLower(t.Key), "aws:"):
			return invalidParameters("The prefix aws: of tag keys is reserved: " + t.Key)
		case !tagText.MatchString(t.Key) || !tagText.MatchString(t.Value):
			return invalidParameters("A tag contains characters that are not allowed: " + t.Key)
		case keys[t.Key]:
			return invalidParameters("Duplicate tag key: " + t.Key)
		}
		keys[t.Key] = true
	}
	if len(keys) > maxTags {
		return tooManyTags()
	}
	return nil
}

func tooManyTags() error {
	return invalidParameters(fmt.Sprintf("The number of tags exceeds the limit of %d per resource", maxTags))
}

// mergeTags returns the tags with those of a request, sorted by key.
func mergeTags(tags, more []tag) []tag {
	all := slices.DeleteFunc(slices.Clone(tags), func(t tag) bool {
		return slices.ContainsFunc(more, func(replaced tag) bool { return replaced.Key == t.Key })
	})
	all = append(all, more...)
	slices.SortFunc(all, func(a, b tag) int { return strings.Compare(a.Key, b.Key) })
	return all
}

// tagged returns the table of a ResourceArn, found with find. operation is used in the error for a table of
// another account or region.
func tagged(operation string, arn *string, find func(*tableInput) (*table, error)) (*table, error) {
	if arn == nil {
		return nil, invalid("Invalid TableArn")
	}
	if !tableARN.MatchString(*arn) {
		return nil, invalid("Invalid TableArn: Invalid ResourceArn provided as input " + *arn)
	}
	name, ours := strings.CutPrefix(*arn, arnPrefix)
	if !ours {
		return nil, foreign(operation, *arn)
	}
	t, err := find(&tableInput{&name})
	if notFound(err) {
		return nil, &apiError{code: errNotFound.code, message: "Requested resource not found: ResourcArn: " + *arn + " not found"} // the spelling is that of AWS
	}
	return t, err
}

// foreign is the error for a resource that the account does not have.
func foreign(operation, arn string) error {
	return &apiError{code: "AccessDeniedException", message: "User: arn:aws:iam::" + account + ":root is not authorized to perform: dynamodb:" + operation +
		" on resource: " + arn}
}

func (e *Engine) tagResource(in *tagResourceInput) (any, error) {
	var c constraints
	if in.ResourceArn != nil {
		c.required("tags", in.Tags != nil)
	}
	checkTags(&c, in.Tags)
	if err := c.err(); err != nil {
		return nil, err
	}
	t, err := tagged("TagResource", in.ResourceArn, e.settled)
	if err != nil {
		return nil, err
	}
	if len(in.Tags) == 0 {
		return nil, invalid("Atleast one Tag needs to be provided as Input.") // the spelling is that of AWS
	}
	if err := tagProblem(in.Tags); err != nil {
		return nil, err
	}
	changed := *t
	if changed.Tags = mergeTags(t.Tags, in.Tags); len(changed.Tags) > maxTags {
		return nil, tooManyTags()
	}
	return struct{}{}, e.redefine(t, &changed)
}

func (e *Engine) untagResource(in *untagResourceInput) (any, error) {
	var c constraints
	if in.ResourceArn != nil {
		c.required("tagKeys", in.TagKeys != nil)
	}
	for i, key := range in.TagKeys {
		checkTagKey(&c, fmt.Sprintf("tagKeys.%d.member", i+1), key)
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	t, err := tagged("UntagResource", in.ResourceArn, e.settled)
	if notFound(err) {
		return nil, errNotFound // unlike TagResource, AWS does not name the resource
	}
	if err != nil {
		return nil, err
	}
	if len(in.TagKeys) == 0 {
		return nil, invalid("Atleast one Tag Key needs to be provided as Input.") // the spelling is that of AWS
	}
	changed := *t
	changed.Tags = slices.DeleteFunc(slices.Clone(t.Tags), func(t tag) bool { return slices.Contains(in.TagKeys, t.Key) })
	return struct{}{}, e.redefine(t, &changed)
}

// listTagsOfResource returns all tags at once. Like AWS, it does not tell whether a table exists that has no
// tags to read.
func (e *Engine) listTagsOfResource(in *listTagsInput) (any, error) {
	t, err := tagged("ListTagsOfResource", in.ResourceArn, e.named)
	if notFound(err) {
		return nil, foreign("ListTagsOfResource", *in.ResourceArn)
	}
	if err != nil {
		return nil, err
	}
	tags := t.Tags
	if tags == nil {
		tags = []tag{}
	}
	return struct{ Tags []tag }{tags}, nil
}

// redefine replaces the definition of t.
func (e *Engine) redefine(t, changed *table) error {
	return e.write(func(w *writeTx) error {
		if err := w.current(t); err != nil {
			return err
		}
		return w.define(changed)
	})
}
