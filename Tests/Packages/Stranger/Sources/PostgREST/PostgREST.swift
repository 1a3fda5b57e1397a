public enum PostgRESTModule {}
