package setup

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/applicationautoscaling"
	"github.com/aws/aws-sdk-go-v2/service/applicationautoscaling/types"

	"github.com/assay-project/assay/pkg/table"
)

// dimension is a capacity that scales: of a table or of an index, for reads or for writes.
type dimension struct {
	resource string // such as table/photoeditor-prod-jobs/index/status-createdAt-index
	scalable types.ScalableDimension
	metric   types.MetricType
	capacity table.Capacity
}

// dimensions returns the capacities of a table that scale.
func dimensions(s table.Schema) []dimension {
	if s.Scaling == nil {
		return nil
	}
	resource := "table/" + *s.Create.TableName
	all := []dimension{
		{resource, types.ScalableDimensionDynamoDBTableReadCapacityUnits, types.MetricTypeDynamoDBReadCapacityUtilization, s.Scaling.Read},
		{resource, types.ScalableDimensionDynamoDBTableWriteCapacityUnits, types.MetricTypeDynamoDBWriteCapacityUtilization, s.Scaling.Write},
	}
	for _, index := range s.Create.GlobalSecondaryIndexes {
		of := resource + "/index/" + *index.IndexName
		all = append(all,
			dimension{of, types.ScalableDimensionDynamoDBIndexReadCapacityUnits, types.MetricTypeDynamoDBReadCapacityUtilization, s.Scaling.Read},
			dimension{of, types.ScalableDimensionDynamoDBIndexWriteCapacityUnits, types.MetricTypeDynamoDBWriteCapacityUtilization, s.Scaling.Write},
		)
	}
	return all
}

// ensureScaling registers the capacities of the tables that scale with Application Auto Scaling, or updates their ranges.
func ensureScaling(ctx context.Context, client *applicationautoscaling.Client, schemas []table.Schema) error {
	for _, s := range schemas {
		for _, d := range dimensions(s) {
			if err := d.ensure(ctx, client, s.Scaling.Target); err != nil {
				return fmt.Errorf("scaling of %s: %w", d.resource, err)
			}
		}
	}
	return nil
}

func (d dimension) ensure(ctx context.Context, client *applicationautoscaling.Client, target float64) error {
	if _, err := client.RegisterScalableTarget(ctx, &applicationautoscaling.RegisterScalableTargetInput{
		ServiceNamespace: types.ServiceNamespaceDynamodb, ResourceId: &d.resource, ScalableDimension: d.scalable,
		MinCapacity: aws.Int32(int32(d.capacity.Min)), MaxCapacity: aws.Int32(int32(d.capacity.Max)),
	}); err != nil {
		return err
	}
	_, err := client.PutScalingPolicy(ctx, &applicationautoscaling.PutScalingPolicyInput{
		ServiceNamespace: types.ServiceNamespaceDynamodb, ResourceId: &d.resource, ScalableDimension: d.scalable,
		PolicyName: aws.String(string(d.metric)), PolicyType: types.PolicyTypeTargetTrackingScaling,
		TargetTrackingScalingPolicyConfiguration: &types.TargetTrackingScalingPolicyConfiguration{
			TargetValue: &target, PredefinedMetricSpecification: &types.PredefinedMetricSpecification{PredefinedMetricType: d.metric},
		},
	})
	return err
}
