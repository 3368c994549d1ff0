# Generated from the descriptions of the areas. After a change: go test ./services/assay/test/terraform -update

resource "aws_dynamodb_table" "text_analyzer_history" {
  name         = lookup(var.table_names, "text_analyzer_history", "text-analyzer-history")
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "PK"
  range_key    = "SK"

  attribute {
    name = "PK"
    type = "S"
  }

  attribute {
    name = "SK"
    type = "S"
  }

  point_in_time_recovery {
    enabled = var.point_in_time_recovery == "default" ? false : var.point_in_time_recovery == "all"
  }

  dynamic "server_side_encryption" {
    for_each = var.kms_key_arn == null ? [] : [var.kms_key_arn]
    content {
      enabled     = true
      kms_key_arn = server_side_encryption.value
    }
  }

  tags = merge({
    Environment = var.environment
  }, var.tags)

  deletion_protection_enabled = var.deletion_protection
}

resource "aws_dynamodb_table" "sentiment_items_primary" {
  name         = lookup(var.table_names, "sentiment_items_primary", "sentiment-items-primary")
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "source_id"
  range_key    = "ingested_at"

  stream_enabled   = true
  stream_view_type = "NEW_AND_OLD_IMAGES"

  attribute {
    name = "source_id"
    type = "S"
  }

  attribute {
    name = "ingested_at"
    type = "S"
  }

  ttl {
    attribute_name = "expires_at"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = var.point_in_time_recovery == "default" ? true : var.point_in_time_recovery == "all"
  }

  server_side_encryption {
    enabled     = true
    kms_key_arn = var.kms_key_arn
  }

  # In the data model: us-west-2, eu-west-1, ap-south-1.
  dynamic "replica" {
    for_each = var.replicas
    content {
      region_name = replica.key
      kms_key_arn = replica.value
    }
  }

  tags = merge({
    Environment = var.environment
    Feature     = "001-interactive-dashboard-demo"
    TableType   = "primary-write"
  }, var.tags)

  deletion_protection_enabled = var.deletion_protection
}

resource "aws_dynamodb_table" "sentiment_items_dashboard" {
  name         = lookup(var.table_names, "sentiment_items_dashboard", "sentiment-items-dashboard")
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "day_partition"
  range_key    = "ingested_at"

  attribute {
    name = "day_partition"
    type = "S"
  }

  attribute {
    name = "ingested_at"
    type = "S"
  }

  attribute {
    name = "sentiment_score_combined"
    type = "S"
  }

  attribute {
    name = "tag"
    type = "S"
  }

  global_secondary_index {
    name            = "by_sentiment"
    hash_key        = "day_partition"
    range_key       = "sentiment_score_combined"
    projection_type = "ALL"
  }

  global_secondary_index {
    name            = "by_tag"
    hash_key        = "tag"
    range_key       = "ingested_at"
    projection_type = "ALL"
  }

  ttl {
    attribute_name = "expires_at"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = var.point_in_time_recovery == "default" ? false : var.point_in_time_recovery == "all"
  }

  server_side_encryption {
    enabled     = true
    kms_key_arn = var.kms_key_arn
  }

  tags = merge({
    Environment = var.environment
    Feature     = "001-interactive-dashboard-demo"
    TableType   = "read-optimized-dashboard"
  }, var.tags)

  deletion_protection_enabled = var.deletion_protection
}

resource "aws_dynamodb_table" "photoeditor_jobs" {
  name           = lookup(var.table_names, "photoeditor_jobs", "photoeditor-${var.environment}-jobs")
  billing_mode   = local.provisioned ? "PROVISIONED" : "PAY_PER_REQUEST"
  read_capacity  = local.provisioned ? 25 : null
  write_capacity = local.provisioned ? 10 : null
  hash_key       = "jobId"

  attribute {
    name = "jobId"
    type = "S"
  }

  attribute {
    name = "userId"
    type = "S"
  }

  attribute {
    name = "status"
    type = "S"
  }

  attribute {
    name = "createdAt"
    type = "N"
  }

  global_secondary_index {
    name            = "userId-createdAt-index"
    hash_key        = "userId"
    range_key       = "createdAt"
    projection_type = "ALL"
    read_capacity   = local.provisioned ? 25 : null
    write_capacity  = local.provisioned ? 10 : null
  }

  global_secondary_index {
    name            = "status-createdAt-index"
    hash_key        = "status"
    range_key       = "createdAt"
    projection_type = "ALL"
    read_capacity   = local.provisioned ? 25 : null
    write_capacity  = local.provisioned ? 10 : null
  }

  ttl {
    attribute_name = "ttl"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = var.point_in_time_recovery == "default" ? true : var.point_in_time_recovery == "all"
  }

  server_side_encryption {
    enabled     = true
    kms_key_arn = var.kms_key_arn
  }

  tags = merge({
    Environment = var.environment
    Name        = "photoeditor-${var.environment}-jobs"
  }, var.tags)

  deletion_protection_enabled = var.deletion_protection

  lifecycle {
    ignore_changes = [read_capacity, write_capacity, global_secondary_index]
  }
}

locals {
  scaling_photoeditor_jobs = local.provisioned ? {
    "table-read"                   = { resource = "table/${aws_dynamodb_table.photoeditor_jobs.name}", dimension = "dynamodb:table:ReadCapacityUnits", metric = "DynamoDBReadCapacityUtilization", min = 25, max = 100 }
    "table-write"                  = { resource = "table/${aws_dynamodb_table.photoeditor_jobs.name}", dimension = "dynamodb:table:WriteCapacityUnits", metric = "DynamoDBWriteCapacityUtilization", min = 10, max = 50 }
    "userId-createdAt-index-read"  = { resource = "table/${aws_dynamodb_table.photoeditor_jobs.name}/index/userId-createdAt-index", dimension = "dynamodb:index:ReadCapacityUnits", metric = "DynamoDBReadCapacityUtilization", min = 25, max = 100 }
    "userId-createdAt-index-write" = { resource = "table/${aws_dynamodb_table.photoeditor_jobs.name}/index/userId-createdAt-index", dimension = "dynamodb:index:WriteCapacityUnits", metric = "DynamoDBWriteCapacityUtilization", min = 10, max = 50 }
    "status-createdAt-index-read"  = { resource = "table/${aws_dynamodb_table.photoeditor_jobs.name}/index/status-createdAt-index", dimension = "dynamodb:index:ReadCapacityUnits", metric = "DynamoDBReadCapacityUtilization", min = 25, max = 100 }
    "status-createdAt-index-write" = { resource = "table/${aws_dynamodb_table.photoeditor_jobs.name}/index/status-createdAt-index", dimension = "dynamodb:index:WriteCapacityUnits", metric = "DynamoDBWriteCapacityUtilization", min = 10, max = 50 }
  } : {}
}

resource "aws_appautoscaling_target" "photoeditor_jobs" {
  for_each           = local.scaling_photoeditor_jobs
  service_namespace  = "dynamodb"
  resource_id        = each.value.resource
  scalable_dimension = each.value.dimension
  min_capacity       = each.value.min
  max_capacity       = each.value.max
}

resource "aws_appautoscaling_policy" "photoeditor_jobs" {
  for_each           = local.scaling_photoeditor_jobs
  name               = each.value.metric
  policy_type        = "TargetTrackingScaling"
  service_namespace  = aws_appautoscaling_target.photoeditor_jobs[each.key].service_namespace
  resource_id        = aws_appautoscaling_target.photoeditor_jobs[each.key].resource_id
  scalable_dimension = aws_appautoscaling_target.photoeditor_jobs[each.key].scalable_dimension

  target_tracking_scaling_policy_configuration {
    target_value = 70

    predefined_metric_specification {
      predefined_metric_type = each.value.metric
    }
  }
}

resource "aws_dynamodb_table" "leanda_ng_nodes" {
  name         = lookup(var.table_names, "leanda_ng_nodes", "leanda-ng-${var.environment}-nodes")
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "id"

  stream_enabled   = true
  stream_view_type = "NEW_AND_OLD_IMAGES"

  attribute {
    name = "id"
    type = "S"
  }

  attribute {
    name = "parentId"
    type = "S"
  }

  attribute {
    name = "createdDateTime"
    type = "S"
  }

  attribute {
    name = "type#ownedBy"
    type = "S"
  }

  global_secondary_index {
    name            = "parentId-createdDateTime-index"
    hash_key        = "parentId"
    range_key       = "createdDateTime"
    projection_type = "ALL"
  }

  global_secondary_index {
    name            = "type-ownedBy-createdDateTime-index"
    hash_key        = "type#ownedBy"
    range_key       = "createdDateTime"
    projection_type = "ALL"
  }

  point_in_time_recovery {
    enabled = var.point_in_time_recovery == "default" ? false : var.point_in_time_recovery == "all"
  }

  server_side_encryption {
    enabled     = true
    kms_key_arn = var.kms_key_arn
  }

  tags = merge({
    Environment = var.environment
  }, var.tags)

  deletion_protection_enabled = var.deletion_protection
}

resource "aws_dynamodb_table" "leanda_ng_files" {
  name         = lookup(var.table_names, "leanda_ng_files", "leanda-ng-${var.environment}-files")
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "id"

  attribute {
    name = "id"
    type = "S"
  }

  attribute {
    name = "parentId"
    type = "S"
  }

  attribute {
    name = "createdDateTime"
    type = "S"
  }

  attribute {
    name = "ownedBy"
    type = "S"
  }

  attribute {
    name = "blobId"
    type = "S"
  }

  global_secondary_index {
    name            = "parentId-createdDateTime-index"
    hash_key        = "parentId"
    range_key       = "createdDateTime"
    projection_type = "KEYS_ONLY"
  }

  global_secondary_index {
    name            = "ownedBy-createdDateTime-index"
    hash_key        = "ownedBy"
    range_key       = "createdDateTime"
    projection_type = "KEYS_ONLY"
  }

  global_secondary_index {
    name            = "blobId-index"
    hash_key        = "blobId"
    projection_type = "KEYS_ONLY"
  }

  point_in_time_recovery {
    enabled = var.point_in_time_recovery == "default" ? false : var.point_in_time_recovery == "all"
  }

  server_side_encryption {
    enabled     = true
    kms_key_arn = var.kms_key_arn
  }

  tags = merge({
    Environment = var.environment
  }, var.tags)

  deletion_protection_enabled = var.deletion_protection
}

resource "aws_dynamodb_table" "leanda_ng_workflow_state" {
  name         = lookup(var.table_names, "leanda_ng_workflow_state", "leanda-ng-${var.environment}-workflow-state")
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "correlationId"

  attribute {
    name = "correlationId"
    type = "S"
  }

  attribute {
    name = "workflowType"
    type = "S"
  }

  attribute {
    name = "createdAt"
    type = "S"
  }

  global_secondary_index {
    name            = "workflowType-createdAt-index"
    hash_key        = "workflowType"
    range_key       = "createdAt"
    projection_type = "KEYS_ONLY"
  }

  point_in_time_recovery {
    enabled = var.point_in_time_recovery == "default" ? false : var.point_in_time_recovery == "all"
  }

  server_side_encryption {
    enabled     = true
    kms_key_arn = var.kms_key_arn
  }

  tags = merge({
    Environment = var.environment
  }, var.tags)

  deletion_protection_enabled = var.deletion_protection
}

resource "aws_dynamodb_table" "assay_platform" {
  name         = lookup(var.table_names, "assay_platform", "assay-platform")
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "PK"
  range_key    = "SK"

  attribute {
    name = "PK"
    type = "S"
  }

  attribute {
    name = "SK"
    type = "S"
  }

  ttl {
    attribute_name = "expiresAt"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = var.point_in_time_recovery == "default" ? false : var.point_in_time_recovery == "all"
  }

  dynamic "server_side_encryption" {
    for_each = var.kms_key_arn == null ? [] : [var.kms_key_arn]
    content {
      enabled     = true
      kms_key_arn = server_side_encryption.value
    }
  }

  tags = merge({
    Environment = var.environment
  }, var.tags)

  deletion_protection_enabled = var.deletion_protection
}
