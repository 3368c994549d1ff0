package dynamolite

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
	"github.com/assay-project/assay/pkg/dynamolite/expr"
)

// Access is one permission that a request needs, in IAM terms. A transaction
// needs one for each of its actions, a batch of writes one for each table, and a batch
// of reads one for each partition key of a table.
type Access struct {
	Key      string // access key of the request's signature; verified only with Options.Keys
	Action   string // such as dynamodb:PutItem
	Resource string // ARN of a table, index or stream; * for an operation that lists them
	// LeadingKey is the partition key of the requested item, or of a query on the
	// table, if the key is a string.
	LeadingKey string
	// Attributes are the attribute names in the request, sorted: keys, names in
	// expressions, and the attributes of an item to put. A read without a
	// projection requests all attributes.
	Attributes []string
	// Select names the attributes that a read returns: SPECIFIC_ATTRIBUTES with a
	// projection, otherwise the request's Select, otherwise ALL_ATTRIBUTES. It is empty
	// for writes.
	Select string
	// ReturnValues names the attributes that a write of one item returns, if set in the request.
	ReturnValues string
}

// touch is the part of a request, or of one of its actions, that permissions apply
// to.
type touch struct {
	TableName, IndexName      string
	StreamArn, ShardIterator  string
	ResourceArn, TableArn     string // tags; exports
	BackupArn                 string
	SourceTableName           string
	TargetTableName           string
	SourceTableArn            string
	Key, Item                 attr.Item
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues attr.Item
	UpdateExpression          string
	ConditionExpression       string
	KeyConditionExpression    string
	FilterExpression          string
	ProjectionExpression      string
	Select, ReturnValues      string
}

// permit returns an AccessDeniedException if Options.Allow denies a permission that
// the request needs.
func (e *Engine) permit(r *http.Request, target string, body []byte) error {
	if e.allow == nil {
		return nil
	}
	if _, ok := e.handlers[target]; !ok {
		return nil
	}
	_, operation, _ := strings.Cut(target, ".")
	key := accessKey(r.Header.Get("Authorization"))
	for _, access := range e.needs(operation, body) {
		access.Key = key
		if !e.allow(access) {
			return &apiError{code: "AccessDeniedException", message: "User: arn:aws:iam::000000000000:user/" + key +
				" is not authorized to perform: " + access.Action + " on resource: " + access.Resource +
				" because no identity-based policy allows the " + access.Action + " action"}
		}
	}
	return nil
}

// accessKey returns the access key in a Signature Version 4 header, or "".
func accessKey(authorization string) string {
	_, credential, _ := strings.Cut(authorization, "Credential=")
	key, _, _ := strings.Cut(credential, "/")
	return key
}

func (e *Engine) needs(operation string, body []byte) []Access {
	var in struct {
		touch
		RequestItems  map[string]json.RawMessage
		TransactItems []map[string]touch
		Tags          []json.RawMessage
	}
	if decode(body, &in) != nil { // like the operation, so that both see the same parameters
		return []Access{{Action: "dynamodb:" + operation, Resource: "*"}} // a caller with all permissions gets the validation error instead
	}
	switch operation {
	case "TransactWriteItems", "TransactGetItems":
		if len(in.TransactItems) > 0 {
			return e.needsOfTransaction(in.TransactItems)
		}
	case "BatchWriteItem", "BatchGetItem":
		if len(in.RequestItems) > 0 {
			return e.needsOfBatch(operation, in.RequestItems)
		}
	case "CreateTable":
		all := []Access{e.need(operation, in.touch)}
		if len(in.Tags) > 0 {
			all = append(all, e.need("TagResource", touch{ResourceArn: arnPrefix + in.TableName}))
		}
		return all
	case "RestoreTableFromBackup", "RestoreTableToPointInTime":
		all := []Access{e.need(operation, in.touch)}
		for _, action := range slices.Concat(restoring, []string{operation}) {
			all = append(all, Access{Action: "dynamodb:" + action, Resource: arnPrefix + in.TargetTableName})
		}
		return all
	}
	return []Access{e.need(operation, in.touch)}
}

func (e *Engine) needsOfTransaction(actions []map[string]touch) (all []Access) {
	for _, action := range actions {
		for verb, part := range action {
			name := verb + "Item" // Put, Update, Delete, Get
			if verb == "ConditionCheck" {
				name = "ConditionCheckItem"
			}
			all = append(all, e.need(name, part))
		}
	}
	return all
}

func (e *Engine) needsOfBatch(operation string, requests map[string]json.RawMessage) (all []Access) {
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		var part struct { // a batch write has a list without Keys here, and needs permission for the table only
			touch
			Keys []attr.Item
		}
		_ = decode(requests[name], &part)
		part.TableName = name
		access := e.need(operation, part.touch)
		for _, leading := range e.leadingKeys(name, part.Keys) {
			access.LeadingKey = leading
			all = append(all, access)
		}
	}
	return all
}

// restoring are the actions that a restore needs for the table that it creates, in addition to its own (Service
// Authorization Reference, "Actions, resources, and condition keys for Amazon DynamoDB").
var restoring = []string{"BatchWriteItem", "DeleteItem", "GetItem", "PutItem", "Query", "Scan", "UpdateItem"}

func (e *Engine) need(action string, t touch) Access {
	access := Access{Action: "dynamodb:" + action, Resource: t.resource(action), Attributes: t.attributes(), ReturnValues: t.ReturnValues}
	switch action {
	case "GetItem", "BatchGetItem", "Query", "Scan":
		access.Select = cmp.Or(t.Select, "ALL_ATTRIBUTES")
		if t.ProjectionExpression != "" {
			access.Select = "SPECIFIC_ATTRIBUTES"
		}
	}
	if known, ok := (*e.catalog.Load())[t.TableName]; ok {
		hash := known.Key.Hash.Name
		for _, values := range []attr.Item{t.Key, t.Item} {
			if v, ok := values.Get(hash); ok && v.Kind == attr.S {
				access.LeadingKey = v.Str
			}
		}
		if action == "Query" && t.IndexName == "" {
			access.LeadingKey = t.partition(known.Key)
		}
	}
	return access
}

// leadingKeys returns the distinct partition keys of a batch, sorted. A key that is missing or not a
// string counts as "".
func (e *Engine) leadingKeys(table string, items []attr.Item) []string {
	var all []string
	if known, ok := (*e.catalog.Load())[table]; ok {
		for _, item := range items {
			leading := ""
			if v, ok := item.Get(known.Key.Hash.Name); ok && v.Kind == attr.S {
				leading = v.Str
			}
			all = append(all, leading)
		}
	}
	if len(all) == 0 {
		return []string{""}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// partition returns the partition key of a query, or "" if the query is invalid;
// the operation then rejects it.
func (t touch) partition(key keySchema) string {
	scope, err := expr.NewScope(t.ExpressionAttributeNames, t.ExpressionAttributeValues)
	if err != nil {
		return ""
	}
	condition, err := expr.ParseKeyCondition(scope, t.KeyConditionExpression)
	if err != nil {
		return ""
	}
	var sort expr.KeyAttribute
	if key.Range != nil {
		sort = expr.KeyAttribute{Name: key.Range.Name, Kind: key.Range.Kind}
	}
	partition, _, err := condition.Resolve(expr.KeyAttribute{Name: key.Hash.Name, Kind: key.Hash.Kind}, sort)
	if err != nil {
		return ""
	}
	return partition.Str
}

// resource returns the ARN of the resource of an action. It ignores parameters that the action does not have, because
// the operation ignores them too.
func (t touch) resource(action string) string {
	arn := ""
	switch action {
	case "DescribeStream", "GetShardIterator":
		arn = t.StreamArn
	case "GetRecords":
		if p, err := parsePosition(t.ShardIterator); err == nil {
			arn = p.arn
		}
	case "ListStreams":
		if t.TableName != "" {
			arn = arnPrefix + t.TableName + "/stream/*"
		}
	case "TagResource", "UntagResource", "ListTagsOfResource":
		arn = t.ResourceArn
	case "DescribeBackup", "DeleteBackup", "RestoreTableFromBackup":
		arn = t.BackupArn
	case "ExportTableToPointInTime":
		arn = t.TableArn
	case "RestoreTableToPointInTime":
		if arn = t.SourceTableArn; t.SourceTableName != "" {
			arn = arnPrefix + t.SourceTableName
		}
	case "ListTables", "ListBackups", "DescribeLimits":
	default:
		if t.TableName != "" {
			arn = arnPrefix + t.TableName
		}
		if t.IndexName != "" && (action == "Query" || action == "Scan") {
			arn += "/index/" + t.IndexName
		}
	}
	return cmp.Or(arn, "*")
}

// attributes returns the names of the attributes in the request, sorted. It skips
// invalid expressions, which the operation rejects.
func (t touch) attributes() []string {
	names := map[string]bool{}
	for _, values := range []attr.Item{t.Key, t.Item} {
		for _, a := range values {
			names[a.Name] = true
		}
	}
	scope, err := expr.NewScope(t.ExpressionAttributeNames, t.ExpressionAttributeValues)
	if err != nil {
		return slices.Sorted(maps.Keys(names))
	}
	var paths []expr.Path
	for _, source := range []string{t.ConditionExpression, t.FilterExpression, t.KeyConditionExpression} {
		if c, err := expr.ParseCondition(scope, expr.ConditionExpression, source); source != "" && err == nil {
			paths = append(paths, c.Paths()...)
		}
	}
	if u, err := expr.ParseUpdate(scope, t.UpdateExpression); t.UpdateExpression != "" && err == nil {
		paths = append(append(paths, u.Paths()...), u.Targets()...)
	}
	if p, err := expr.ParseProjection(scope, t.ProjectionExpression); t.ProjectionExpression != "" && err == nil {
		paths = append(paths, p.Paths()...)
	}
	for _, path := range paths {
		names[path.Head()] = true
	}
	return slices.Sorted(maps.Keys(names))
}
