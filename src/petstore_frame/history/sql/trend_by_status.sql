-- Counts pets by day and status, 0 where a snapshot has none.
--
-- Reads the views pets, days and bounds (see History.coverage). A status that is missing counts as
-- 'no status'. The column bound says what the number is (exact, at_least, about), or why there is
-- none (no_snapshot, unreadable).
WITH counted AS (
  SELECT date, coalesce(status, 'no status') AS status, count(*) AS pets
  FROM pets
  GROUP BY date, coalesce(status, 'no status')
), statuses AS (
  SELECT status FROM bounds
  UNION
  SELECT status FROM counted
)
SELECT
  days.date,
  statuses.status,
  CASE WHEN days.problem IS NULL THEN coalesce(counted.pets, 0) END AS pets,
  coalesce(days.problem, bounds.bound, days.bound) AS bound
FROM days
CROSS JOIN statuses
LEFT JOIN counted ON counted.date = days.date AND counted.status = statuses.status
LEFT JOIN bounds ON bounds.date = days.date AND bounds.status = statuses.status
ORDER BY
  days.date,
  CASE statuses.status
    WHEN 'available' THEN 1 WHEN 'pending' THEN 2 WHEN 'sold' THEN 3 WHEN 'no status' THEN 5
    ELSE 4
  END,
  statuses.status
