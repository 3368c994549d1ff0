package dynamolite

import (
	"fmt"
	"slices"
	"strings"
)

// Limits of a table's definition (DynamoDB Developer Guide, "Service, account
// and table quotas").
const (
	maxGlobalIndexes  = 20
	maxLocalIndexes   = 5
	maxIndexedNonKeys = 100
)

const (
	provisioned   = "PROVISIONED"
	payPerRequest = "PAY_PER_REQUEST"
)

func checkKeyElements(c *constraints, field string, elements []keySchemaElement) {
	if elements == nil {
		c.required(field, false)
		return
	}
	c.length(field, len(elements), 1, 2, func() string {
		parts := make([]string, len(elements))
		for i, el := range elements {
			parts[i] = fmt.Sprintf("KeySchemaElement(attributeName=%s, keyType=%s)", el.AttributeName, el.KeyType)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	})
	for i, el := range elements {
		c.enum(fmt.Sprintf("%s.%d.member.keyType", field, i+1), el.KeyType, "HASH", "RANGE")
	}
}

func checkThroughput(c *constraints, field string, t *throughput) {
	if t == nil {
		return
	}
	if t.ReadCapacityUnits < 1 {
		c.add(fmt.Sprintf("'%d'", t.ReadCapacityUnits), field+".readCapacityUnits", "Member must have value greater than or equal to 1")
	}
	if t.WriteCapacityUnits < 1 {
		c.add(fmt.Sprintf("'%d'", t.WriteCapacityUnits), field+".writeCapacityUnits", "Member must have value greater than or equal to 1")
	}
}

func checkAttributeDefinitions(c *constraints, definitions []attributeDefinition) {
	for i, d := range definitions {
		c.enum(fmt.Sprintf("attributeDefinitions.%d.member.attributeType", i+1), d.AttributeType, "B", "N", "S")
	}
}

func (in *createTableInput) check() error {
	if in.TableName == nil {
		return invalid("The parameter 'TableName' is required but was not present in the request")
	}
	var c constraints
	c.name("tableName", in.TableName, 3)
	c.required("attributeDefinitions", in.AttributeDefinitions != nil)
	checkKeyElements(&c, "keySchema", in.KeySchema)
	checkAttributeDefinitions(&c, in.AttributeDefinitions)
	c.enum("billingMode", in.BillingMode, provisioned, payPerRequest)
	checkThroughput(&c, "provisionedThroughput", in.ProvisionedThroughput)
	checkIndexElements(&c, "globalSecondaryIndexes", in.GlobalSecondaryIndexes)
	checkIndexElements(&c, "localSecondaryIndexes", in.LocalSecondaryIndexes)
	in.SSESpecification.check(&c, "sSESpecification")
	checkClass(&c, in.TableClass)
	checkTags(&c, in.Tags)
	if err := c.err(); err != nil {
		return err
	}
	if err := tagProblem(in.Tags); err != nil {
		return err
	}
	return checkBilling(in.BillingMode, in.ProvisionedThroughput)
}

func checkIndexElements(c *constraints, field string, specs []indexSpecification) {
	for i, spec := range specs {
		member := fmt.Sprintf("%s.%d.member.", field, i+1)
		c.name(member+"indexName", spec.IndexName, 3)
		checkKeyElements(c, member+"keySchema", spec.KeySchema)
		c.required(member+"projection", spec.Projection != nil)
		if spec.Projection != nil {
			c.enum(member+"projection.projectionType", spec.Projection.ProjectionType, "ALL", "INCLUDE", "KEYS_ONLY")
		}
		checkThroughput(c, member+"provisionedThroughput", spec.ProvisionedThroughput)
	}
}

func checkBilling(mode string, t *throughput) error {
	switch {
	case mode == payPerRequest && t != nil:
		return invalidParameters("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST")
	case mode != payPerRequest && t == nil:
		return invalidParameters("ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED")
	}
	return nil
}

// schemaOf converts a key schema from its wire form.
func schemaOf(elements []keySchemaElement, definitions []attributeDefinition) (keySchema, error) {
	undefined := invalid("Invalid KeySchema: Some index key attribute have no definition")
	var k keySchema
	for i, el := range elements {
		kind, ok := kindOf(definitions, el.AttributeName)
		if !ok {
			return k, undefined
		}
		attribute := keyAttribute{el.AttributeName, kind}
		switch {
		case i == 0 && el.KeyType == "HASH":
			k.Hash = attribute
		case i == 0:
			return k, invalid("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
		case el.KeyType != "RANGE":
			return k, invalid("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type")
		case el.AttributeName == k.Hash.Name:
			return k, undefined
		default:
			k.Range = &attribute
		}
	}
	return k, nil
}

// indexOf converts an index from its wire form; IDs are assigned later.
func indexOf(spec indexSpecification, definitions []attributeDefinition, local bool) (*index, error) {
	name := *spec.IndexName
	for _, el := range spec.KeySchema {
		if _, ok := kindOf(definitions, el.AttributeName); !ok {
			keys, defined := make([]string, len(spec.KeySchema)), make([]string, len(definitions))
			for i, el := range spec.KeySchema {
				keys[i] = el.AttributeName
			}
			for i, d := range definitions {
				defined[i] = d.AttributeName
			}
			return nil, invalidParameters(fmt.Sprintf("Some index key attributes are not defined in AttributeDefinitions. Keys: [%s], AttributeDefinitions: [%s]", strings.Join(keys, ", "), strings.Join(defined, ", ")))
		}
	}
	key, err := schemaOf(spec.KeySchema, definitions)
	if err != nil {
		return nil, err
	}
	ix := &index{
		Name: name, Key: key, Local: local, Projection: spec.Projection.ProjectionType, Include: spec.Projection.NonKeyAttributes,
		capacityLimits: spec.capacityLimits.active(),
	}
	switch {
	case ix.Projection == "":
		return nil, invalidParameters("Unknown ProjectionType: null")
	case ix.Projection == "INCLUDE" && len(ix.Include) == 0:
		return nil, invalidParameters("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
	case ix.Projection != "INCLUDE" && ix.Include != nil:
		return nil, invalidParameters("ProjectionType is " + ix.Projection + ", but NonKeyAttributes is specified")
	}
	if spec.ProvisionedThroughput != nil {
		ix.Throughput = *spec.ProvisionedThroughput
	}
	return ix, nil
}

// tableOf converts a CreateTable request to a definition; IDs are assigned
// later.
func tableOf(in *createTableInput) (*table, error) {
	key, err := schemaOf(in.KeySchema, in.AttributeDefinitions)
	if err != nil {
		return nil, err
	}
	t := &table{
		Name: *in.TableName, Attributes: in.AttributeDefinitions, Key: key, Billing: in.BillingMode, Protected: in.DeletionProtectionEnabled,
		Tags: mergeTags(nil, in.Tags), capacityLimits: in.capacityLimits.active(),
	}
	if t.Encryption, err = in.SSESpecification.description(); err != nil {
		return nil, err
	}
	if t.Billing == "" {
		t.Billing = provisioned
	}
	if in.ProvisionedThroughput != nil {
		t.Throughput = *in.ProvisionedThroughput
	}
	for i, specs := range [][]indexSpecification{in.LocalSecondaryIndexes, in.GlobalSecondaryIndexes} {
		for _, spec := range specs {
			ix, err := indexOf(spec, in.AttributeDefinitions, i == 0)
			if err != nil {
				return nil, err
			}
			t.Indexes = append(t.Indexes, ix)
		}
	}
	return t, t.check()
}

// check returns an error if the definition is inconsistent.
func (t *table) check() error {
	used := []string{}
	for _, a := range t.Key.attributes() {
		used = append(used, a.Name)
	}
	names := map[string]bool{}
	local, global, nonKeys := 0, 0, 0
	for _, ix := range t.Indexes {
		if names[ix.Name] {
			return invalidParameters("Duplicate index name: " + ix.Name)
		}
		names[ix.Name] = true
		nonKeys += len(ix.Include)
		for _, a := range ix.Key.attributes() {
			used = append(used, a.Name)
		}
		if !ix.Local {
			global++
			continue
		}
		local++
		switch {
		case t.Key.Range == nil:
			return invalidParameters("Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex")
		case ix.Key.Range == nil:
			return invalidParameters("Index KeySchema does not have a range key for index: " + ix.Name)
		case ix.Key.Hash.Name != t.Key.Hash.Name:
			return invalidParameters("Index KeySchema does not have the same leading hash key as table KeySchema for index: " + ix.Name + ". index hash key: " + ix.Key.Hash.Name + ", table hash key: " + t.Key.Hash.Name)
		}
	}
	switch {
	case local > maxLocalIndexes:
		return invalidParameters(fmt.Sprintf("Number of LocalSecondaryIndexes exceeds per-table limit of %d", maxLocalIndexes))
	case global > maxGlobalIndexes:
		return invalidParameters(fmt.Sprintf("GlobalSecondaryIndex count exceeds the per-table limit of %d", maxGlobalIndexes))
	case nonKeys > maxIndexedNonKeys:
		return invalidParameters(fmt.Sprintf("Number of NonKeyAttributes exceeds limit of %d", maxIndexedNonKeys))
	}
	for _, d := range t.Attributes {
		if !slices.Contains(used, d.AttributeName) {
			return invalidParameters("Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions")
		}
	}
	return nil
}
