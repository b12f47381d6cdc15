-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "workers" (
    "id" UUID NOT NULL,
    "authority" VARCHAR(255) NOT NULL,
    "frontend_mode" VARCHAR(32) NOT NULL,
    "protocol" VARCHAR(32) NOT NULL,
    "hostname" VARCHAR(1024) NOT NULL,
    "tls_listen" BOOLEAN NOT NULL DEFAULT false,
    "tls_advertised" BOOLEAN NOT NULL DEFAULT false,
    "api_port" INTEGER NOT NULL,
    "traffic_port" INTEGER,
    "port_range" INTEGER[],
    "wildcard_domain" VARCHAR(1024),
    "wildcard_traffic_port" INTEGER,
    "accepted_traffics" TEXT[],
    "filtered_apps_only" BOOLEAN NOT NULL DEFAULT false,
    "traefik_last_used_marker_path" VARCHAR(1024),
    "internal_frontend" JSONB,
    "available_slots" INTEGER NOT NULL DEFAULT 0,
    "legacy_nodes" INTEGER NOT NULL DEFAULT 0,
    "status" VARCHAR(32) NOT NULL DEFAULT 'ALIVE',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "worker_app_filters" (
    "id" UUID NOT NULL,
    "worker_id" UUID NOT NULL,
    "property_name" VARCHAR(96) NOT NULL,
    "property_value" VARCHAR(1024) NOT NULL,

    CONSTRAINT "worker_app_filters_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "router_nodes" (
    "node_id" VARCHAR(255) NOT NULL,
    "worker_id" UUID NOT NULL,
    "last_seen" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "router_nodes_pkey" PRIMARY KEY ("worker_id","node_id")
);

-- CreateTable
CREATE TABLE "endpoints" (
    "id" UUID NOT NULL,
    "health_check_enabled" BOOLEAN NOT NULL DEFAULT false,
    "health_check_config" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "endpoints_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "circuits" (
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "app" VARCHAR(255) NOT NULL,
    "protocol" VARCHAR(32) NOT NULL,
    "worker_id" UUID NOT NULL,
    "app_mode" VARCHAR(32) NOT NULL,
    "frontend_mode" VARCHAR(32) NOT NULL,
    "envs" JSONB NOT NULL DEFAULT '{}',
    "arguments" VARCHAR(1000),
    "open_to_public" BOOLEAN NOT NULL DEFAULT false,
    "allowed_client_ips" VARCHAR(255),
    "port" INTEGER,
    "subdomain" VARCHAR(255),
    "user_id" UUID,
    "endpoint_id" UUID,
    "runtime_variant" VARCHAR(255),
    "route_info" JSONB NOT NULL DEFAULT '[]',
    "session_ids" UUID[],
    "replica_groups" JSONB,
    "served_model" TEXT,
    "capabilities" JSONB,
    "policy" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "circuits_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "router_authorities" (
    "worker_authority" VARCHAR(255) NOT NULL,
    "revision" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "router_authorities_pkey" PRIMARY KEY ("worker_authority")
);

-- CreateTable
CREATE TABLE "router_models" (
    "id" UUID NOT NULL,
    "worker_authority" VARCHAR(255) NOT NULL,
    "model_name" TEXT NOT NULL,
    "aliases" JSONB NOT NULL DEFAULT '[]',
    "mappings" JSONB NOT NULL DEFAULT '[]',
    "control_mode" VARCHAR(64) NOT NULL DEFAULT 'manual',
    "policy" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "router_models_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "router_api_keys" (
    "id" UUID NOT NULL,
    "worker_authority" VARCHAR(255) NOT NULL,
    "key_id" VARCHAR(255) NOT NULL,
    "token_hash" VARCHAR(64) NOT NULL,
    "display_hint" VARCHAR(64),
    "allowed_models" JSONB NOT NULL DEFAULT '[]',
    "expires_at" TIMESTAMPTZ(3),
    "rate_limit" INTEGER,
    "allowed_client_ips" JSONB,
    "project_id" TEXT,
    "domain" TEXT,
    "owner" TEXT,
    "attributes" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "router_api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "workers_authority_key" ON "workers"("authority");

-- CreateIndex
CREATE UNIQUE INDEX "worker_app_filters_worker_id_property_name_property_value_key" ON "worker_app_filters"("worker_id", "property_name", "property_value");

-- CreateIndex
CREATE UNIQUE INDEX "circuits_endpoint_id_key" ON "circuits"("endpoint_id");

-- CreateIndex
CREATE INDEX "circuits_worker_id_idx" ON "circuits"("worker_id");

-- CreateIndex
CREATE UNIQUE INDEX "router_models_worker_authority_model_name_key" ON "router_models"("worker_authority", "model_name");

-- CreateIndex
CREATE UNIQUE INDEX "router_api_keys_worker_authority_key_id_key" ON "router_api_keys"("worker_authority", "key_id");

-- AddForeignKey
ALTER TABLE "worker_app_filters" ADD CONSTRAINT "worker_app_filters_worker_id_fkey" FOREIGN KEY ("worker_id") REFERENCES "workers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "router_nodes" ADD CONSTRAINT "router_nodes_worker_id_fkey" FOREIGN KEY ("worker_id") REFERENCES "workers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "circuits" ADD CONSTRAINT "circuits_worker_id_fkey" FOREIGN KEY ("worker_id") REFERENCES "workers"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "circuits" ADD CONSTRAINT "circuits_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "endpoints"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

